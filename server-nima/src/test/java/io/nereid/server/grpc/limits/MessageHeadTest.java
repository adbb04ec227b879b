package io.nereid.server.grpc.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class MessageHeadTest {
  private static final MessageHead HEAD = new MessageHead("digits", "2", "first");

  /** A message of 100,000 bytes that begins with a head, and with the first bytes of an input. */
  private static final byte[] BEGIN = message(0, 100_000, "\n\6digits\22\0012\32\5first*\7");

  private static byte[] message(int flag, int length, String content) {
    byte[] bytes = content.getBytes(StandardCharsets.ISO_8859_1);
    ByteBuf message = Unpooled.buffer(5 + bytes.length);
    message.writeByte(flag).writeInt(length).writeBytes(bytes);
    return message.array();
  }

  @Test
  void readsTheHeadOfAMessageThatHasNotComeWhole() {
    assertThat(MessageHead.of(Unpooled.wrappedBuffer(BEGIN))).isEqualTo(HEAD);
  }

  @Test
  void aHeadThatComesInSeveralFramesIsNotRead() {
    for (int split = 0; split < BEGIN.length - 1; split++) {
      assertThat(MessageHead.of(Unpooled.wrappedBuffer(BEGIN, 0, split))).as("%d", split).isNull();
    }
  }

  @Test
  void readsTheSizeOfAMessage() {
    assertThat(MessageHead.messageBytes(Unpooled.wrappedBuffer(BEGIN))).isEqualTo(100_000);
    assertThat(MessageHead.messageBytes(Unpooled.wrappedBuffer(BEGIN, 0, 4))).isZero();
  }

  @Test
  void consumesNothing() {
    ByteBuf data = Unpooled.wrappedBuffer(BEGIN);

    MessageHead.of(data);

    assertThat(data.readableBytes()).isEqualTo(BEGIN.length);
  }

  @Test
  void aMessageThatIsWholeHasNoHeadToBeRead() {
    byte[] whole = BEGIN.clone();
    whole[2] = 0;
    whole[3] = 0;
    whole[4] = (byte) (whole.length - 5);

    assertThat(MessageHead.of(Unpooled.wrappedBuffer(whole))).isNull();
  }

  @Test
  void aCompressedMessageHasNoHeadToBeRead() {
    assertThat(MessageHead.of(Unpooled.wrappedBuffer(message(1, 100_000, "\n\6digits*\7"))))
        .isNull();
  }

  @Test
  void aMessageThatBeginsWithAnotherFieldHasNoHeadToBeRead() {
    assertThat(MessageHead.of(Unpooled.wrappedBuffer(message(0, 100_000, "*\7abc")))).isNull();
  }

  @Test
  void readsANameOfManyBytes() {
    String name = "n".repeat(300);
    byte[] begin = message(0, 100_000, "\n\u00AC\2" + name + "*");

    assertThat(MessageHead.of(Unpooled.wrappedBuffer(begin)))
        .isEqualTo(new MessageHead(name, "", ""));
  }

  @Test
  void givesUpOnAHeadThatIsTooLarge() {
    byte[] large = message(0, 100_000, "\n\u00FF\7" + "n".repeat(1_023) + "*");

    assertThat(MessageHead.of(Unpooled.wrappedBuffer(large))).isNull();
  }
}

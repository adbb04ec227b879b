package io.nereid.server.grpc.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class HeadReaderTest {
  private static final MessageHead HEAD = new MessageHead("digits", "2", "first");

  /** A message of 100,000 bytes that begins with a head, and with the first bytes of an input. */
  private static final byte[] BEGIN = message(0, 100_000, "\n\6digits\22\0012\32\5first*\7");

  private final MessageHeadReader reader = new MessageHeadReader();

  private static byte[] message(int flag, int length, String content) {
    byte[] bytes = content.getBytes(StandardCharsets.ISO_8859_1);
    ByteBuf message = Unpooled.buffer(5 + bytes.length);
    message.writeByte(flag).writeInt(length).writeBytes(bytes);
    return message.array();
  }

  @Test
  void readsTheHeadOfAMessageThatHasNotComeWhole() {
    assertThat(reader.read(Unpooled.wrappedBuffer(BEGIN))).isEqualTo(HEAD);
    assertThat(reader.isDone()).isTrue();
  }

  @Test
  void waitsForAHeadThatComesInParts() {
    for (int split = 1; split < BEGIN.length - 1; split++) {
      var parts = new MessageHeadReader();
      assertThat(parts.read(Unpooled.wrappedBuffer(BEGIN, 0, split))).as("%d", split).isNull();
      ByteBuf rest = Unpooled.wrappedBuffer(BEGIN, split, BEGIN.length - split);
      assertThat(parts.read(rest)).as("%d", split).isEqualTo(HEAD);
    }
  }

  @Test
  void readsAHeadThatComesByteByByte() {
    MessageHead head = null;
    for (byte each : BEGIN) {
      assertThat(head).isNull();
      head = reader.read(Unpooled.wrappedBuffer(new byte[] {each}));
      if (head != null) {
        break;
      }
    }
    assertThat(head).isEqualTo(HEAD);
  }

  @Test
  void consumesNothing() {
    ByteBuf data = Unpooled.wrappedBuffer(BEGIN);

    reader.read(data);

    assertThat(data.readableBytes()).isEqualTo(BEGIN.length);
  }

  @Test
  void aMessageThatIsWholeHasNoHeadToBeRead() {
    byte[] whole = BEGIN.clone();
    whole[2] = 0;
    whole[3] = 0;
    whole[4] = (byte) (whole.length - 5);

    assertThat(reader.read(Unpooled.wrappedBuffer(whole))).isNull();
    assertThat(reader.isDone()).isTrue();
  }

  @Test
  void aCompressedMessageHasNoHeadToBeRead() {
    assertThat(reader.read(Unpooled.wrappedBuffer(message(1, 100_000, "\n\6digits*\7")))).isNull();
    assertThat(reader.isDone()).isTrue();
  }

  @Test
  void aMessageThatBeginsWithAnotherFieldHasNoHeadToBeRead() {
    assertThat(reader.read(Unpooled.wrappedBuffer(message(0, 100_000, "*\7abc")))).isNull();
    assertThat(reader.isDone()).isTrue();
  }

  @Test
  void readsANameOfManyBytes() {
    String name = "n".repeat(300);
    byte[] begin = message(0, 100_000, "\n\u00AC\2" + name + "*");

    assertThat(reader.read(Unpooled.wrappedBuffer(begin))).isEqualTo(new MessageHead(name, "", ""));
  }

  @Test
  void givesUpOnAHeadThatIsTooLarge() {
    byte[] part = new byte[MessageHeadReader.MAX_HEAD];
    Arrays.fill(part, (byte) 'n');
    assertThat(reader.read(Unpooled.wrappedBuffer(message(0, 100_000, "\n\u00FF\7")))).isNull();

    assertThat(reader.read(Unpooled.wrappedBuffer(part))).isNull();
    assertThat(reader.isDone()).isTrue();
  }
}

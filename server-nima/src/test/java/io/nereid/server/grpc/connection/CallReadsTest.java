package io.nereid.server.grpc.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@SuppressWarnings("deprecation") // of an interface that Netty implements by a class
class CallReadsTest {
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private long started;
  private long ahead;
  private @Nullable ByteBuf begun;
  private final RecvByteBufAllocator.Handle handle =
      new CallReads(CallReads.LARGEST, () -> started, () -> ahead, () -> begun).newHandle();

  @AfterEach
  void close() {
    var _ = channel.close();
  }

  /** A turn that fills the buffer, by which so many calls begin; returns its size. */
  private int read(int calls) {
    return read(calls, Integer.MAX_VALUE);
  }

  /** The same if there are not more than so many bytes. */
  private int read(int calls, int available) {
    handle.reset(channel.config());
    int size = handle.guess();
    handle.attemptedBytesRead(size);
    handle.lastBytesRead(Math.min(size, available));
    handle.incMessagesRead(1);
    started += calls;
    assertThat(handle.continueReading()).isFalse();
    handle.readComplete();
    return size;
  }

  @Test
  void readsGrowWhileFewCallsBegin() {
    int size = 0;
    for (int i = 0; i < 10; i++) {
      size = read(CallReads.MAX_CALLS);
    }
    assertThat(size).isEqualTo(64 << 10);
  }

  @Test
  void aReadBringsAboutAsManyCallsAsATurnMayBegin() {
    for (int i = 0; i < 10; i++) {
      read(1);
    }
    read(2_000);
    int size = read(CallReads.MAX_CALLS);
    assertThat(size).isBetween((64 << 10) * CallReads.MAX_CALLS / 2_000 - 1, (64 << 10) / 100);

    assertThat(read(0)).as("twice as much, once few calls begin").isBetween(size, 2 * size + 1);
  }

  @Test
  void aReadIsNotTooSmall() {
    read(1_000_000);
    assertThat(read(0)).isEqualTo(512);
  }

  @Test
  void aReadHasTheRestOfALargeMessage() {
    ahead = 500_000;
    assertThat(read(1)).as("the first").isLessThanOrEqualTo(64 << 10);
    assertThat(read(1)).isBetween(500_900, 505_100);

    ahead = 5 << 20;
    assertThat(read(1)).isEqualTo(CallReads.LARGEST);
    ahead = CallReads.USUAL;
    assertThat(read(1)).isLessThanOrEqualTo(CallReads.USUAL);
  }

  @Test
  void aReadOfALargeMessageIsUsualAfterOneThatFoundLess() {
    ahead = 500_000;
    read(1);
    read(1, 499_999);
    assertThat(read(1)).isLessThanOrEqualTo(CallReads.USUAL);
    assertThat(read(1)).isGreaterThan(CallReads.USUAL);
  }

  @Test
  void aReadOfALargeMessageIsUsualAfterOneThatBeganManyCalls() {
    ahead = 500_000;
    read(1);
    read(CallReads.MAX_CALLS + 1);
    assertThat(read(0)).isLessThanOrEqualTo(CallReads.USUAL);
  }

  @Test
  void aReadBeginsWithTheFrameThatHasBegun() {
    ahead = 500_000;
    read(1);
    begun = Unpooled.copiedBuffer("begun", StandardCharsets.US_ASCII);

    ByteBuf buffer = handle.allocate(UnpooledByteBufAllocator.DEFAULT);

    assertThat(buffer.toString(StandardCharsets.US_ASCII)).isEqualTo("begun");
    assertThat(buffer.writableBytes()).isBetween(500_900, 505_100);
    assertThat(begun.readableBytes()).as("what is kept if nothing has come").isEqualTo(5);
    buffer.release();
  }

  @Test
  void aReadWithABegunFrameHasAMegabyteToo() {
    ahead = 5 << 20;
    read(1);
    begun = Unpooled.buffer().writeZero(16_000);

    ByteBuf buffer = handle.allocate(UnpooledByteBufAllocator.DEFAULT);

    assertThat(buffer.capacity()).isEqualTo(CallReads.LARGEST);
    buffer.release();
  }
}

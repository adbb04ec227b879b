package io.nereid.server.grpc.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@SuppressWarnings("deprecation") // of an interface that Netty implements by a class
class CallReadsTest {
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private long started;
  private final RecvByteBufAllocator.Handle handle = new CallReads(() -> started).newHandle();

  @AfterEach
  void close() {
    var _ = channel.close();
  }

  /** A turn that fills the buffer, by which so many calls begin; returns its size. */
  private int read(int calls) {
    handle.reset(channel.config());
    int size = handle.guess();
    handle.attemptedBytesRead(size);
    handle.lastBytesRead(size);
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
}

package io.nereid.server.grpc.connection;

import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import java.util.function.LongSupplier;

/**
 * How much is read of a connection in a turn of its event loop: once, 64 KiB at most, and so little
 * that about {@link #MAX_CALLS} calls begin by it. To begin a call takes some 50 us, and 64 KiB may
 * have two thousand. For the event loop of the connection.
 */
final class CallReads extends DefaultMaxMessagesRecvByteBufAllocator {
  /** The calls that a turn may begin of a connection. */
  static final int MAX_CALLS = 16;

  private static final int SMALLEST = 512;
  private static final int FIRST = 4 << 10;
  private static final int LARGEST = 64 << 10;

  private final RecvByteBufAllocator adaptive = new AdaptiveRecvByteBufAllocator();
  private final LongSupplier started;

  /**
   * @param started how many calls of the connection have begun so far
   */
  CallReads(LongSupplier started) {
    super(/* maxMessagesPerRead= */ 1);
    this.started = started;
  }

  @SuppressWarnings("deprecation") // of an interface that Netty implements by this class
  @Override
  public Handle newHandle() {
    return new Sizes();
  }

  private final class Sizes extends MaxMessageHandle {
    @SuppressWarnings("deprecation")
    private final Handle sizes = adaptive.newHandle();

    private int maxBytes = FIRST;
    private int lastBytes;
    private long startedBefore;

    @Override
    public int guess() {
      long now = started.getAsLong();
      long calls = now - startedBefore;
      startedBefore = now;
      maxBytes =
          calls <= MAX_CALLS
              ? Math.min(LARGEST, 2 * maxBytes)
              : Math.clamp((long) lastBytes * MAX_CALLS / calls, SMALLEST, LARGEST);
      return Math.min(maxBytes, sizes.guess());
    }

    @Override
    public void reset(ChannelConfig config) {
      super.reset(config);
      sizes.reset(config);
    }

    @Override
    public void attemptedBytesRead(int bytes) {
      super.attemptedBytesRead(bytes);
      sizes.attemptedBytesRead(bytes);
    }

    @Override
    public void lastBytesRead(int bytes) {
      super.lastBytesRead(bytes);
      sizes.lastBytesRead(bytes);
      lastBytes = bytes;
    }

    @Override
    public void readComplete() {
      sizes.readComplete();
    }
  }
}

package io.nereid.server.grpc.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How much is read of a connection in a turn of its event loop: once, 64 KiB at most, and so little
 * that about {@link #MAX_CALLS} calls begin by it. To begin a call takes some 50 us, and 64 KiB may
 * have two thousand. While a large message comes whose next bytes are counted already, a read has
 * as many of them as there are, up to a megabyte; {@link DividedReads} then limits the calls. For
 * the event loop of the connection.
 */
final class CallReads extends DefaultMaxMessagesRecvByteBufAllocator {
  /** The calls that a turn may begin of a connection. */
  static final int MAX_CALLS = 16;

  private static final int SMALLEST = 512;
  private static final int FIRST = 4 << 10;

  /** A message of so many bytes has a further one in the headers of its frames and records. */
  private static final int FRAMING = 1 << 9;

  /** The largest read, unless a large message comes. */
  static final int USUAL = 64 << 10;

  /** The largest read of a large message. */
  static final int LARGEST = 1 << 20;

  /**
   * The same with TLS, where messages are in many buffers anyway. Beside those, a larger one would
   * often have no room in what Netty's pool has, and be asked of the system each time.
   */
  static final int LARGEST_ENCRYPTED = 256 << 10;

  private final RecvByteBufAllocator adaptive = new AdaptiveRecvByteBufAllocator();
  private final LongSupplier started;
  private final LongSupplier ahead;
  private final Supplier<@Nullable ByteBuf> begun;
  private final int largest;

  /**
   * @param largest the most bytes of a read
   * @param started how many calls of the connection have begun so far
   * @param ahead how many bytes of messages are counted and have not come
   * @param begun what a read begins with, borrowed; null for nothing
   */
  CallReads(
      int largest, LongSupplier started, LongSupplier ahead, Supplier<@Nullable ByteBuf> begun) {
    super(/* maxMessagesPerRead= */ 1);
    this.largest = largest;
    this.begun = begun;
    this.started = started;
    this.ahead = ahead;
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

    /** Whether the last read has filled its buffer, so that there may be more. */
    private boolean full;

    private long startedBefore;

    @Override
    public int guess() {
      long now = started.getAsLong();
      long calls = now - startedBefore;
      startedBefore = now;
      maxBytes =
          calls <= MAX_CALLS
              ? Math.min(USUAL, 2 * maxBytes)
              : Math.clamp((long) lastBytes * MAX_CALLS / calls, SMALLEST, USUAL);
      long coming = ahead.getAsLong();
      return full && calls <= MAX_CALLS && coming > USUAL
          ? (int) Math.min(largest, coming + coming / FRAMING + FIRST)
          : Math.min(maxBytes, sizes.guess());
    }

    @Override
    public ByteBuf allocate(ByteBufAllocator allocator) {
      ByteBuf first = begun.get();
      if (first == null) {
        return super.allocate(allocator);
      }
      int count = first.readableBytes();
      ByteBuf buffer = allocator.ioBuffer(Math.min(largest, count + guess()));
      return buffer.writeBytes(first, first.readerIndex(), count);
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
      full = bytes == attemptedBytesRead();
    }

    @Override
    public void readComplete() {
      sizes.readComplete();
    }
  }
}

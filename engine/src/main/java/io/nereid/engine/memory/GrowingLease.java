package io.nereid.engine.memory;

import io.nereid.error.InferenceException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Memory for a body that is being received. It grows with the bytes that have come, so that a
 * length that was only announced leases {@link LeaseSource#ahead} at most. One thread at a time.
 *
 * <pre>{@code
 * try (var body = GrowingLease.ofLength(source, padding, length)) {
 *   while (body.filled() < length) {
 *     socket.read(body.room());
 *   }
 *   return body.finish();
 * }
 * }</pre>
 *
 * <p>To grow is to copy. A body of known length is copied in full at most once in sum: its leases
 * have its length divided by powers of two, so the last step doubles the memory. Without a length
 * each lease is twice the one before.
 */
public final class GrowingLease implements AutoCloseable {
  /** The largest part of a lease that {@link #room} shows at a time. */
  private static final long MAX_WINDOW = 1 << 30;

  private final LeaseSource source;
  private final int padding;

  /** Padding and body at most. */
  private final long maxByteSize;

  private final boolean lengthKnown;
  private Lease lease;

  /** The free room of the lease, from {@link #windowOffset} on. */
  private ByteBuffer window;

  private long windowOffset;
  private boolean open = true;

  private GrowingLease(
      LeaseSource source, int padding, long maxByteSize, long first, boolean lengthKnown) {
    this.source = source;
    this.padding = padding;
    this.maxByteSize = maxByteSize;
    this.lengthKnown = lengthKnown;
    lease = source.lease(first);
    windowOffset = padding;
    window = window();
  }

  /**
   * Memory for a body whose length is known.
   *
   * @param padding bytes in front of the body, for example to align what follows a head
   * @param length of the body
   * @throws InferenceException INVALID_ARGUMENT if the source can never hold the body,
   *     RESOURCE_EXHAUSTED if it has no memory left now
   */
  public static GrowingLease ofLength(LeaseSource source, int padding, long length) {
    long most = source.maxByteSize() / 3 * 2; // the last two leases exist at once
    if (length > most - padding) {
      throw InferenceException.invalid(
          "the request body of %d bytes exceeds what the server can hold, which is %d bytes"
              .formatted(length, Math.max(0, most - padding)));
    }
    long all = padding + length;
    return new GrowingLease(source, padding, all, first(all, source.ahead()), true);
  }

  /**
   * Memory for a body of unknown length.
   *
   * @param maxByteSize the most bytes that {@link #room} ever has room for
   * @param expected a guess of the length, 1 or more; the first lease has {@link LeaseSource#ahead}
   *     at most
   */
  public static GrowingLease upTo(
      LeaseSource source, int padding, long maxByteSize, long expected) {
    long all = padding + Math.min(maxByteSize, Long.MAX_VALUE - padding);
    long first = Math.min(all, padding + Math.min(expected, source.ahead()));
    return new GrowingLease(source, padding, all, first, false);
  }

  /** The largest of the leases of a body that is not above {@code ahead}. */
  private static long first(long all, long ahead) {
    long size = all;
    while (size > ahead) {
      size = half(size);
    }
    return size;
  }

  private static long half(long size) {
    return size / 2 + size % 2;
  }

  /**
   * How many bytes {@link #room} copies if it is called now: none while there is room. A large copy
   * takes milliseconds, since the memory that it fills is new.
   */
  public long copiedNext() {
    long filled = windowOffset + window.position();
    return filled == lease.segment().byteSize() ? filled : 0;
  }

  /**
   * Free room behind the bytes that have come; at least one byte. Bytes that are put into the
   * buffer, which advances its position, belong to the body. Valid until the next call.
   *
   * @throws IllegalStateException if the body has its full size
   * @throws InferenceException RESOURCE_EXHAUSTED if there is no memory left to grow
   */
  public ByteBuffer room() {
    if (!window.hasRemaining()) {
      long filled = windowOffset + window.position();
      if (filled == lease.segment().byteSize()) {
        grow(filled);
      }
      windowOffset = filled;
      window = window();
    }
    return window;
  }

  private ByteBuffer window() {
    MemorySegment all = lease.segment();
    long size = Math.min(all.byteSize() - windowOffset, MAX_WINDOW);
    return all.asSlice(windowOffset, size).asByteBuffer();
  }

  private void grow(long filled) {
    if (!open || filled == maxByteSize) {
      throw new IllegalStateException("no room after %d bytes".formatted(filled - padding));
    }
    Lease larger = source.lease(next(filled));
    MemorySegment.copy(lease.segment(), 0, larger.segment(), 0, filled);
    lease.close();
    lease = larger;
  }

  /** The size of the lease after one of {@code size} bytes. */
  private long next(long size) {
    if (!lengthKnown) {
      return size > maxByteSize / 2 ? maxByteSize : Math.max(2 * size, LeaseSource.LEAST_AHEAD);
    }
    long next = maxByteSize;
    while (half(next) > size) {
      next = half(next);
    }
    return next;
  }

  /** How many bytes of the body have come. */
  public long filled() {
    return windowOffset + window.position() - padding;
  }

  /**
   * Ends the body and passes its memory on.
   *
   * @return owned by the caller; its segment is the body as it has come, without padding
   */
  public Lease finish() {
    if (!open) {
      throw new IllegalStateException("finished or closed already");
    }
    open = false;
    return new Body(lease, lease.segment().asSlice(padding, filled()));
  }

  /** Releases the memory, unless {@link #finish} has passed it on. */
  @Override
  public void close() {
    if (open) {
      open = false;
      lease.close();
    }
  }

  private record Body(Lease lease, MemorySegment segment) implements Lease {
    @Override
    public boolean countMore(long byteSize) {
      return lease.countMore(byteSize);
    }

    @Override
    public void close() {
      lease.close();
    }
  }
}

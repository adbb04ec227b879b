package io.nereid.engine.memory.region;

import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.LeaseSource;
import io.nereid.error.InferenceException;
import java.lang.foreign.MemorySegment;

/**
 * A part of a region that a request reads or writes. The region's memory stays open until all of
 * its slices are closed, whether it is unregistered or not. Thread-safe.
 */
public final class RegionSlice implements AutoCloseable {
  private final Region region;
  private final long offset;
  private final long byteSize;
  private boolean closed;

  /**
   * @param region retained for this slice
   * @param offset in the region
   */
  RegionSlice(Region region, long offset, long byteSize) {
    this.region = region;
    this.offset = offset;
    this.byteSize = byteSize;
  }

  public long byteSize() {
    return byteSize;
  }

  /**
   * Copies the bytes. Takes this slice: it is closed with the lease, or at once on a failure.
   *
   * @return owned by the caller
   * @throws InferenceException INVALID_ARGUMENT if the client has made the object smaller,
   *     RESOURCE_EXHAUSTED if there is no memory, or what the GPU's backend throws
   */
  public Lease read(LeaseSource source) {
    requireOpen();
    Lease copy = null;
    try {
      copy = source.lease(byteSize);
      region.read(copy.segment(), offset);
      return new ReadSlice(copy, this);
    } catch (Throwable failed) {
      if (copy != null) {
        copy.close();
      }
      close();
      throw failed;
    }
  }

  /**
   * Writes bytes from the start of the slice.
   *
   * @param source native memory, at most {@link #byteSize} bytes
   * @throws InferenceException INVALID_ARGUMENT if the client has made the object smaller, INTERNAL
   *     if the system refuses, CANCELLED if the slice is closed, or what the GPU's backend throws
   */
  public void write(MemorySegment source) {
    if (source.byteSize() > byteSize) {
      throw new IllegalArgumentException(source.byteSize() + " bytes for a slice of " + byteSize);
    }
    synchronized (this) {
      requireOpen();
      var _ = region.retain(); // true: this slice is a user
    }
    try {
      region.write(source, offset);
    } finally {
      region.release();
    }
  }

  private synchronized void requireOpen() {
    if (closed) {
      throw InferenceException.cancelled();
    }
  }

  /** Ends the use of the region; has no effect if that was done before. */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    region.release();
  }

  /** The bytes of an input; the region counts as used until they are released. */
  private record ReadSlice(Lease copy, RegionSlice slice) implements Lease {
    @Override
    public MemorySegment segment() {
      return copy.segment();
    }

    @Override
    public void close() {
      copy.close(); // throws if it is closed already
      slice.close();
    }
  }
}

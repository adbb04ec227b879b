package io.nereid.server.codec;

import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.LeaseSource;
import io.nereid.engine.memory.region.RegionSlice;
import io.nereid.error.InferenceException;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The leases of a request while it is decoded. Owns the body, the memory leased for inputs, and the
 * targets of outputs until {@link #take} or {@link #close}.
 */
public final class InputLeases implements AutoCloseable {
  private final LeaseSource pool;
  private final Lease body;
  private List<Lease> leases = new ArrayList<>();
  private List<RegionSlice> targets = List.of();
  private boolean bodyUsed;

  /**
   * @param body taken
   */
  public InputLeases(Lease body, LeaseSource pool) {
    this.body = body;
    this.pool = pool;
    leases.add(body);
  }

  public MemorySegment body() {
    return body.segment();
  }

  /** Leases memory for an input. */
  public MemorySegment lease(long byteSize) {
    return kept(pool.lease(byteSize));
  }

  private MemorySegment kept(Lease lease) {
    try {
      leases.add(lease);
    } catch (Throwable noMemory) {
      lease.close();
      throw noMemory;
    }
    return lease.segment();
  }

  /**
   * Reads an input from a region.
   *
   * @param source taken
   */
  public MemorySegment read(RegionSlice source) {
    return kept(source.read(pool));
  }

  /**
   * Keeps the target of an output.
   *
   * @param target taken
   */
  public RegionSlice keep(RegionSlice target) {
    if (targets.isEmpty()) {
      targets = new ArrayList<>();
    }
    targets.add(target);
    return target;
  }

  /** Returns a part of the body as a tensor's data: in place if it is aligned, else a copy. */
  public MemorySegment slice(long offset, long byteSize, DataType dataType) {
    MemorySegment slice = body().asSlice(offset, byteSize);
    long alignment = Math.max(1, dataType.byteSize());
    if (slice.address() % alignment == 0) {
      bodyUsed = true;
      return slice;
    }
    MemorySegment copy = lease(byteSize);
    Elements.copy(slice, copy);
    return copy;
  }

  /** Releases all leases but the body, to decode the request again. */
  public void restart() {
    List<Lease> released = leases;
    leases = new ArrayList<>();
    leases.add(body);
    bodyUsed = false;
    released.subList(1, released.size()).forEach(Lease::close);
    closeTargets();
  }

  private void closeTargets() {
    List<RegionSlice> closed = targets;
    targets = List.of();
    closed.forEach(RegionSlice::close);
  }

  /**
   * Passes the leases, and the targets with them, to the caller. Releases the body if no input uses
   * it in place.
   */
  public List<Lease> take() {
    List<Lease> taken = leases;
    leases = List.of();
    targets = List.of();
    if (!bodyUsed) {
      taken.removeFirst().close();
    }
    return taken;
  }

  @Override
  public void close() {
    List<Lease> left = leases;
    leases = List.of();
    try {
      Lease.closeAll(left);
    } finally {
      closeTargets();
    }
  }

  /** The element count of a shape, as Triton's front end counts: 0 for a shape of rank 0. */
  public static long elementCount(String input, Shape shape) {
    try {
      return shape.rank() == 0 ? 0 : shape.elementCount();
    } catch (ArithmeticException _) {
      throw InferenceException.invalid(
          ("invalid shape for input '%s': shape %s causes total element count to exceed maximum"
                  + " size of %d")
              .formatted(input, shape, Long.MAX_VALUE));
    }
  }

  /** The byte size of {@code count} elements of a type of fixed size. */
  public static long byteSize(String input, long count, DataType dataType) {
    try {
      return Math.multiplyExact(count, (long) dataType.byteSize());
    } catch (ArithmeticException _) {
      throw InferenceException.invalid(
          ("byte size overflow for input '%s': element count (%d) * data type size (%d) exceeds"
                  + " maximum allowed size (%d)")
              .formatted(input, count, dataType.byteSize(), Long.MAX_VALUE));
    }
  }
}

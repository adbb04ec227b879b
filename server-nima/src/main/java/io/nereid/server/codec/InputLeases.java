package io.nereid.server.codec;

import io.nereid.error.InferenceException;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.memory.Lease;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The memory that a request's inputs lie in, as it grows while the request is decoded. Owns the
 * body from the start; whatever happens, either {@link #take} or {@link #close} ends it.
 */
public final class InputLeases implements AutoCloseable {
  private final BufferPool pool;
  private final Lease body;
  private List<Lease> leases = new ArrayList<>();
  private boolean bodyUsed;

  /**
   * @param body taken
   */
  public InputLeases(Lease body, BufferPool pool) {
    this.body = body;
    this.pool = pool;
    leases.add(body);
  }

  public MemorySegment body() {
    return body.segment();
  }

  /** Memory of its own for an input. */
  public MemorySegment lease(long byteSize) {
    Lease lease = pool.lease(byteSize);
    leases.add(lease);
    return lease.segment();
  }

  /** A part of the body as a tensor's data: the body itself where that is aligned, else a copy. */
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

  /** Gives back what the inputs have leased, to begin anew. */
  public void restart() {
    List<Lease> given = leases;
    leases = new ArrayList<>();
    leases.add(body);
    bodyUsed = false;
    given.subList(1, given.size()).forEach(Lease::close);
  }

  /** All leases, which become the caller's; the body only if an input lies in it. */
  public List<Lease> take() {
    List<Lease> taken = leases;
    leases = List.of();
    if (!bodyUsed) {
      taken.removeFirst().close();
    }
    return taken;
  }

  @Override
  public void close() {
    List<Lease> left = leases;
    leases = List.of();
    left.forEach(Lease::close);
  }

  /**
   * The elements that a shape holds, as Triton's front end counts them: none for a scalar's shape.
   */
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

  /** The bytes of that many elements of a type of fixed size. */
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

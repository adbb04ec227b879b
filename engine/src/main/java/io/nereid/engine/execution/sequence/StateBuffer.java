package io.nereid.engine.execution.sequence;

import io.nereid.config.SequenceSettings.State;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * One state of one sequence: the buffer that a request reads and the buffer that it writes. A
 * commit swaps them, so a state that keeps its size needs no further memory. With {@code
 * use_same_buffer_for_input_output} they are the same.
 */
public final class StateBuffer {
  private final State declared;
  private final Tensor initial;
  private final BufferPool pool;

  private @Nullable Lease currentLease;
  private @Nullable Tensor current;

  /** The buffer for the next write. */
  private @Nullable Lease otherLease;

  /** What the current request has written; null if nothing. */
  private @Nullable Tensor written;

  StateBuffer(State declared, Tensor initial, BufferPool pool) {
    this.declared = declared;
    this.initial = initial;
    this.pool = pool;
  }

  public State declared() {
    return declared;
  }

  /** The value that a request reads. */
  public Tensor current() {
    if (current == null) {
      currentLease = pool.lease(initial.byteSize());
      Elements.copy(initial.data(), currentLease.segment());
      current = tensor(initial.dataType(), initial.shape(), currentLease.segment());
    }
    return current;
  }

  /** What the current request has written so far; null if nothing. */
  public @Nullable Tensor written() {
    return written;
  }

  /**
   * The memory for the value that the next request reads. It holds zeros, or values of the same
   * sequence. Called once for a request.
   */
  public MemorySegment allocate(DataType dataType, Shape shape, long byteSize) {
    if (declared.sameBuffer() && current().byteSize() == byteSize) {
      written = tensor(dataType, shape, current().data());
      return written.data();
    }
    if (otherLease != null && otherLease.segment().byteSize() != byteSize) {
      otherLease.close();
      otherLease = null;
    }
    if (otherLease == null) {
      otherLease = pool.lease(byteSize);
      otherLease.segment().fill((byte) 0); // it may hold data of other clients
    }
    written = tensor(dataType, shape, otherLease.segment());
    return written.data();
  }

  void commit() {
    if (written == null) {
      return;
    }
    if (otherLease != null && written.data().equals(otherLease.segment())) {
      Lease before = currentLease;
      currentLease = otherLease;
      otherLease = before;
    }
    current = written;
    written = null;
  }

  void rollBack() {
    written = null;
  }

  void close() {
    if (currentLease != null) {
      currentLease.close();
    }
    if (otherLease != null) {
      otherLease.close();
    }
  }

  private Tensor tensor(DataType dataType, Shape shape, MemorySegment data) {
    return new Tensor(declared.inputName(), dataType, shape, data);
  }
}

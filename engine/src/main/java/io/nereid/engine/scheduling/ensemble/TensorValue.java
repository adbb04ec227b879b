package io.nereid.engine.scheduling.ensemble;

import io.nereid.engine.memory.SharedLease;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * A value of one of the ensemble's tensors, in the memory where a model or the client has put it.
 * It retains that memory until all of its uses are taken.
 */
public final class TensorValue {
  private final @Nullable Tensor tensor;
  private final SharedLease memory;
  private final long rows;
  private final @Nullable SequenceMark mark;
  private int uses;

  /**
   * @param tensor null if an optional input was omitted, or an output not produced
   * @param memory retained here until the last use
   * @param rows the rows of a batch that it has; 0 if its producer does not batch
   * @param mark the sequence it belongs to; null if it comes from the client
   * @param uses how often it will be taken, at least once
   */
  TensorValue(
      @Nullable Tensor tensor,
      SharedLease memory,
      long rows,
      @Nullable SequenceMark mark,
      int uses) {
    this.tensor = tensor;
    this.memory = memory;
    this.rows = rows;
    this.mark = mark;
    this.uses = uses;
    memory.retain();
  }

  @Nullable Tensor tensor() {
    return tensor;
  }

  @Nullable SequenceMark mark() {
    return mark;
  }

  /**
   * The tensor's shape for a model that it is passed to. A model that batches gets a batch of one
   * around a tensor of its dims. A model that does not batch gets a batch of one without the batch
   * dimension, unless the dims include it.
   *
   * @param dims of the input or output it is passed to
   * @param batches whether a batch dimension precedes them
   */
  public Shape shapeFor(Tensor tensor, Shape dims, boolean batches) {
    Shape shape = tensor.shape();
    if (batches == rows > 0) {
      return shape;
    }
    boolean fits = dims.accepts(shape);
    if (batches) {
      return fits ? shape.withLeading(1) : shape;
    }
    return !fits && rows == 1 ? shape.withoutLeading() : shape;
  }

  /**
   * Takes the value once.
   *
   * @return releases the memory that the caller holds from now on; to be run once
   */
  Runnable take() {
    if (--uses > 0) {
      memory.retain(); // the last use passes on the hold of this value
    }
    return memory::release;
  }

  /** Whether all uses are taken. */
  boolean isUsedUp() {
    return uses <= 0;
  }

  /** Releases the memory of a value whose uses will not all be taken. */
  void drop() {
    memory.release();
  }
}

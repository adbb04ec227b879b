package io.nereid.server.scheduling.ensemble;

import io.nereid.server.memory.SharedLease;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * One of the ensemble's tensors as it came, not copied: where a model has put it, or the client. It
 * holds its memory until it has been taken as often as it is going to be.
 */
public final class TensorValue {
  private final @Nullable Tensor tensor;
  private final SharedLease memory;
  private final long rows;
  private final @Nullable SequenceMark mark;
  private int uses;

  /**
   * @param tensor null if an optional input was left out, or an output not produced
   * @param memory retained here until the last use
   * @param rows what the tensor holds of a batch; 0 if it comes from where there are no batches
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
   * The tensor's shape for whom it is passed to. A model that batches gets a batch of one around
   * what is already of its dims; a model that does not gets a batch of one without the batch
   * dimension, unless it wants just that.
   *
   * @param dims of the input or output it is passed to
   * @param batches whether a batch dimension is in front of them
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
   * @return gives up what the taker now holds of the memory; to be run once
   */
  Runnable take() {
    if (--uses > 0) {
      memory.retain(); // otherwise the taker holds in this one's place
    }
    return memory::release;
  }

  /** Whether nobody takes it any more. */
  boolean isUsedUp() {
    return uses <= 0;
  }

  /** Lets go of the memory; for a value that is not going to be used up. */
  void drop() {
    memory.release();
  }
}

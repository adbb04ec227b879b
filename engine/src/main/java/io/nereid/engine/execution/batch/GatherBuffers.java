package io.nereid.engine.execution.batch;

import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.error.InferenceException;
import io.nereid.spi.Batch;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The buffers in which the inputs of a batch are gathered: one per input, leased when it is first
 * asked for, and released at the end of the batch, so that an idle instance keeps no memory. Used
 * by the instance's thread.
 */
final class GatherBuffers {
  private final BufferPool pool;
  private final Map<String, Lease> buffers = new HashMap<>();

  GatherBuffers(BufferPool pool) {
    this.pool = pool;
  }

  /**
   * Copies the rows of all requests that have the input, in order, into one tensor.
   *
   * @param ragged whether shapes may differ; the tensor then has one dimension
   */
  Optional<Tensor> gather(Batch batch, String name, boolean ragged) {
    long byteSize = 0;
    long rows = 0;
    long elements = 0;
    Tensor first = null;
    for (int i = 0; i < batch.size(); i++) {
      Optional<Tensor> input = batch.input(i, name);
      if (input.isEmpty()) {
        continue;
      }
      Tensor tensor = input.get();
      first = first == null ? tensor : first;
      byteSize += tensor.byteSize();
      rows += ragged ? 0 : tensor.shape().dim(0);
      elements += tensor.shape().elementCount();
    }
    if (first == null) {
      return Optional.empty();
    }
    Shape shape = ragged ? Shape.of(elements) : first.shape().withFirst(rows);
    if (shape.elementCount() != elements) {
      throw InferenceException.internal(
          "input '%s' has different shapes in one batch, among them %s"
              .formatted(name, first.shape()));
    }
    MemorySegment whole = buffer(name, byteSize);
    long offset = 0;
    for (int i = 0; i < batch.size(); i++) {
      Optional<Tensor> input = batch.input(i, name);
      if (input.isPresent()) {
        MemorySegment data = input.get().data();
        MemorySegment.copy(data, 0, whole, offset, data.byteSize());
        offset += data.byteSize();
      }
    }
    return Optional.of(new Tensor(name, first.dataType(), shape, whole));
  }

  /**
   * The memory for all rows of an input, uninitialized.
   *
   * @param byteSize the same whenever the input is asked for in a batch
   */
  MemorySegment buffer(String name, long byteSize) {
    return buffers.computeIfAbsent(name, _ -> pool.lease(byteSize)).segment();
  }

  /** Releases the buffers at the end of a batch; another batch may follow. */
  void release() {
    buffers.values().forEach(Lease::close);
    buffers.clear();
  }
}

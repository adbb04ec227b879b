package io.nereid.engine.execution.batch;

import io.nereid.config.BatchOutput;
import io.nereid.config.ModelConfig;
import io.nereid.engine.execution.output.DeclaredOutput;
import io.nereid.error.InferenceException;
import io.nereid.spi.Batch;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * An output of a batch, split into one part per request. The parts are adjacent. A part has as many
 * rows as its request. A part of a {@code batch_output} has the configured shape, with the size of
 * the source input in each variable dimension; what follows the last one is dropped.
 */
final class OutputSplit {
  private final Tensor whole;
  private final Shape[] parts;
  private long offset;
  private int next;

  /**
   * @param whole has as many rows as the batch, unless it is scattered; its elements are as many as
   *     its shape says
   * @throws InferenceException if a scattered output is too small for its parts
   */
  OutputSplit(
      ModelConfig config,
      Batch batch,
      ResponseBuilders builders,
      DeclaredOutput declared,
      Tensor whole) {
    this.whole = whole;
    this.parts = new Shape[builders.size()];
    if (declared.isScattered()) {
      scatter(config, batch, declared);
    } else {
      divide(builders);
    }
  }

  private void divide(ResponseBuilders builders) {
    for (int i = 0; i < parts.length; i++) {
      parts[i] = withRows(i == 0 ? whole.shape() : parts[i - 1], builders.get(i).rows());
    }
  }

  /** The shape with that many rows; the same object if it has them already. */
  private static Shape withRows(Shape shape, long rows) {
    return shape.dim(0) == rows ? shape : shape.withFirst(rows);
  }

  private void scatter(ModelConfig config, Batch batch, DeclaredOutput declared) {
    BatchOutput output = config.batchOutput(whole.name()).orElseThrow();
    Shape pattern = declared.shape();
    long elements = 0;
    for (int i = 0; i < parts.length; i++) {
      parts[i] = filled(pattern, batch.input(i, output.sourceInput()), output);
      elements += parts[i].elementCount();
    }
    if (elements > whole.shape().elementCount()) {
      throw declared.tooSmall(whole.shape(), elements);
    }
  }

  private static Shape filled(Shape pattern, Optional<Tensor> source, BatchOutput output) {
    long[] dims = pattern.dims();
    for (int axis = 0; axis < dims.length; axis++) {
      if (dims[axis] == Shape.WILDCARD) {
        dims[axis] = source.orElseThrow(() -> unknown(output)).shape().dim(axis);
      }
    }
    return Shape.of(dims);
  }

  private static InferenceException unknown(BatchOutput output) {
    return InferenceException.internal(
        "failed to split the output tensor '%s' in responses: a request has no input '%s'"
            .formatted(output.targetName(), output.sourceInput()));
  }

  /** The part of the next request; called once per request, in order. */
  Tensor next() {
    Shape shape = parts[next++];
    long start = offset;
    offset = end(start, shape.elementCount());
    MemorySegment data = whole.data().asSlice(start, offset - start);
    return new Tensor(whole.name(), whole.dataType(), shape, data);
  }

  private long end(long start, long elements) {
    DataType type = whole.dataType();
    return type.hasFixedSize()
        ? start + elements * type.byteSize()
        : BytesElements.skip(whole.data(), start, elements);
  }
}

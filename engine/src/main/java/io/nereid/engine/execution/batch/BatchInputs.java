package io.nereid.engine.execution.batch;

import io.nereid.config.BatchInput;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.Batch;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The {@code batch_input}s of a batch: the element counts or the shapes of a source input, in the
 * shape that the model sees. A request without the source input has no elements and no shapes. A
 * padding row has those of the request that it imitates. See "batch_input" in Triton's {@code
 * model_config.proto}.
 */
record BatchInputs(ModelConfig config, Batch batch, GatherBuffers buffers) {
  /** The byte size of an element; all permitted types have the same. */
  private static final long ELEMENT = Integer.BYTES;

  /**
   * Computes a batch input in the gather buffer of its name.
   *
   * @param target one of the target names of {@code wanted}
   */
  Tensor compute(BatchInput wanted, String target) {
    return switch (wanted.kind()) {
      case BATCH_ELEMENT_COUNT -> counts(wanted, target, false, false);
      case BATCH_ACCUMULATED_ELEMENT_COUNT -> counts(wanted, target, true, false);
      case BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO -> counts(wanted, target, true, true);
      case BATCH_MAX_ELEMENT_COUNT_AS_SHAPE -> zeros(wanted, target, Shape.of(max(wanted)));
      case BATCH_ITEM_SHAPE -> itemShapes(wanted, target, false);
      case BATCH_ITEM_SHAPE_FLATTEN -> itemShapes(wanted, target, true);
    };
  }

  private Tensor counts(BatchInput wanted, String target, boolean accumulated, boolean withZero) {
    int first = withZero ? 1 : 0;
    Tensor counts = tensor(wanted, target, Shape.of(batch.size() + first));
    if (withZero) {
      put(counts, 0, 0);
    }
    long before = 0;
    for (int i = 0; i < batch.size(); i++) {
      long count = before + elements(i, wanted);
      put(counts, i + first, count);
      before = accumulated ? count : 0;
    }
    return counts;
  }

  private long max(BatchInput wanted) {
    long max = 0;
    for (int i = 0; i < batch.size(); i++) {
      max = Math.max(max, elements(i, wanted));
    }
    return max;
  }

  private long elements(int index, BatchInput wanted) {
    Optional<Tensor> source = batch.input(index, wanted.sourceInput());
    return source.isPresent() ? source.get().shape().elementCount() : 0;
  }

  private Tensor itemShapes(BatchInput wanted, String target, boolean flat) {
    TensorConfig source = config.input(wanted.sourceInput()).orElseThrow();
    int rank = source.reshape().orElse(source.dims()).rank();
    boolean rows = config.batches() && !source.shapeTensor();
    long items = 0;
    for (int i = 0; i < batch.size(); i++) {
      Optional<Tensor> input = batch.input(i, source.name());
      items += input.isPresent() ? items(input.get(), rows) : 0;
    }
    Shape shape = flat ? Shape.of(items * rank) : Shape.of(items, rank);
    Tensor shapes = tensor(wanted, target, shape);
    long at = 0;
    for (int i = 0; i < batch.size(); i++) {
      Optional<Tensor> input = batch.input(i, source.name());
      for (long item = 0; input.isPresent() && item < items(input.get(), rows); item++) {
        for (int axis = 0; axis < rank; axis++) {
          put(shapes, at++, input.get().shape().dim(rows ? axis + 1 : axis));
        }
      }
    }
    return shapes;
  }

  private static long items(Tensor input, boolean rows) {
    return rows ? input.shape().dim(0) : 1;
  }

  /** A tensor of which the shape alone matters: it shows the model nothing of other requests. */
  private Tensor zeros(BatchInput wanted, String target, Shape shape) {
    Tensor zeros = tensor(wanted, target, shape);
    zeros.data().fill((byte) 0);
    return zeros;
  }

  private Tensor tensor(BatchInput wanted, String target, Shape shape) {
    MemorySegment data = buffers.buffer(target, shape.elementCount() * ELEMENT);
    return new Tensor(target, wanted.dataType(), shape, data);
  }

  private static void put(Tensor tensor, long index, long value) {
    if (tensor.dataType() == DataType.FP32) {
      tensor.data().set(Elements.FLOAT, index * ELEMENT, (float) value);
    } else if (value <= Integer.MAX_VALUE) {
      tensor.data().set(Elements.INT, index * ELEMENT, (int) value);
    } else {
      throw InferenceException.internal(
          "batch input '%s' is too small for the value %d".formatted(tensor.name(), value));
    }
  }
}

package io.nereid.tck.execution;

import io.nereid.config.BatchInput;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/**
 * What a {@code batch_input} is for a batch.
 *
 * @param shape of the tensor
 * @param values in order; fewer than the shape has elements where they mean nothing
 */
record ComputedInput(Shape shape, List<Long> values) {
  ComputedInput {
    values = List.copyOf(values);
  }

  /**
   * Computes it.
   *
   * @param sources the shape of each request's source input, with the batch dimension
   */
  static ComputedInput of(BatchInput.Kind kind, List<Shape> sources) {
    List<Long> counts = sources.stream().map(Shape::elementCount).toList();
    return switch (kind) {
      case BATCH_ELEMENT_COUNT -> row(counts);
      case BATCH_ACCUMULATED_ELEMENT_COUNT -> row(sums(counts).subList(1, counts.size() + 1));
      case BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO -> row(sums(counts));
      case BATCH_MAX_ELEMENT_COUNT_AS_SHAPE -> {
        long max = counts.stream().mapToLong(Long::longValue).max().orElse(0);
        yield new ComputedInput(Shape.of(max), List.of());
      }
      case BATCH_ITEM_SHAPE -> {
        List<Long> dims = items(sources);
        int rank = sources.getFirst().rank() - 1;
        yield new ComputedInput(Shape.of(rank == 0 ? 0 : dims.size() / rank, rank), dims);
      }
      case BATCH_ITEM_SHAPE_FLATTEN -> row(items(sources));
    };
  }

  private static ComputedInput row(List<Long> values) {
    return new ComputedInput(Shape.of(values.size()), values);
  }

  /** A zero, and each count added to those before it. */
  private static List<Long> sums(List<Long> counts) {
    List<Long> sums = new ArrayList<>(List.of(0L));
    counts.forEach(count -> sums.add(sums.getLast() + count));
    return sums;
  }

  private static List<Long> items(List<Shape> sources) {
    List<Long> dims = new ArrayList<>();
    for (Shape source : sources) {
      for (long row = 0; row < source.dim(0); row++) {
        for (int axis = 1; axis < source.rank(); axis++) {
          dims.add(source.dim(axis));
        }
      }
    }
    return dims;
  }

  Tensor tensor(String name, DataType type, LongFunction<MemorySegment> allocator) {
    MemorySegment data = allocator.apply(shape.elementCount() * type.byteSize());
    for (int i = 0; i < values.size(); i++) {
      if (type == DataType.FP32) {
        data.set(Elements.FLOAT, (long) i * Float.BYTES, values.get(i));
      } else {
        data.set(Elements.INT, (long) i * Integer.BYTES, Math.toIntExact(values.get(i)));
      }
    }
    return new Tensor(name, type, shape, data);
  }
}

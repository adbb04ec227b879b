package io.nereid.tensorrt.signature;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Signatures of engines for tests. */
final class Plans {
  private final List<PlanTensor> tensors = new ArrayList<>();
  private int profiles = 1;

  static Plans plan() {
    return new Plans();
  }

  /** An engine that batches up to 8 rows: IN and OUT, four FP32 each. */
  static PlanSignature batching() {
    return plan().input("IN", range(1, 2, 8, 4)).output("OUT", -1, 4).build();
  }

  /** A range of the first dimension; the others are fixed. */
  static InputRange range(long min, long opt, long max, long... rest) {
    return new InputRange(with(min, rest), with(opt, rest), with(max, rest));
  }

  private static Shape with(long first, long... rest) {
    return Shape.of(rest).withLeading(first);
  }

  /** An FP32 input with a range for each profile. */
  Plans input(String name, InputRange... ranges) {
    return input(name, DataType.FP32, ranges);
  }

  Plans input(String name, DataType type, InputRange... ranges) {
    long[] dims = ranges[0].min().dims();
    for (InputRange range : ranges) {
      for (int i = 0; i < dims.length; i++) {
        boolean fixed = range.min().dim(i) == range.max().dim(i) && dims[i] == range.max().dim(i);
        dims[i] = fixed ? dims[i] : Shape.WILDCARD;
      }
    }
    profiles = ranges.length;
    return add(name, true, type, Shape.of(dims), false, List.of(ranges));
  }

  /** A shape tensor with a range of values for each profile. */
  Plans shapeInput(String name, InputRange... ranges) {
    var dims = Shape.of(ranges[0].min().rank());
    profiles = ranges.length;
    return add(name, true, DataType.INT64, dims, true, List.of(ranges));
  }

  Plans output(String name, long... dims) {
    return output(name, DataType.FP32, dims);
  }

  Plans output(String name, DataType type, long... dims) {
    return add(name, false, type, Shape.of(dims), false, List.of());
  }

  Plans shapeOutput(String name, long values) {
    return add(name, false, DataType.INT64, Shape.of(values), true, List.of());
  }

  private Plans add(
      String name,
      boolean input,
      DataType type,
      Shape dims,
      boolean shapeTensor,
      List<InputRange> ranges) {
    tensors.add(new PlanTensor(tensors.size(), name, input, type, dims, shapeTensor, ranges));
    return this;
  }

  PlanSignature build() {
    return new PlanSignature(tensors, profiles);
  }

  static ModelConfig bare() {
    return ModelConfig.of("m", "tensorrt");
  }

  static ModelConfig config(int maxBatchSize, List<TensorConfig> inputs, TensorConfig... outputs) {
    return bare().withSignature(maxBatchSize, inputs, List.of(outputs));
  }

  static TensorConfig floats(String name, long... dims) {
    return TensorConfig.of(name, DataType.FP32, Shape.of(dims));
  }

  /** A shape tensor of a configuration. */
  static TensorConfig shapes(String name, long values) {
    return new TensorConfig(
        name,
        DataType.INT64,
        Shape.of(values),
        Optional.empty(),
        false,
        false,
        true,
        TensorConfig.Format.FORMAT_NONE,
        "");
  }
}

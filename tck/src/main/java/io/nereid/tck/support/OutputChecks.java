package io.nereid.tck.support;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;

/** Whether a backend's outputs are those that its model declares. */
record OutputChecks(ModelConfig config, TestResults.Violations violations) {
  /** A thread that owns no memory: what it may access, every thread may. */
  private static final Thread ANY_THREAD = Thread.ofPlatform().unstarted(() -> {});

  /** Checks an output in memory of the backend. */
  void output(Tensor output) {
    if (!output.data().isNative()
        || !output.data().scope().isAlive()
        || !output.data().isAccessibleBy(ANY_THREAD)) {
      throw violations.add(
          "output '%s' lies in memory that not every thread may read", output.name());
    }
    output(output.name(), output.dataType(), output.shape());
    size(output.name(), output.dataType(), output.shape(), output.byteSize());
  }

  void output(String output, DataType dataType, Shape shape) {
    TensorConfig declared =
        config
            .output(output)
            .orElseThrow(() -> violations.add("the model declares no output '%s'", output));
    declared(declared, dataType, shape);
  }

  void declared(TensorConfig declared, DataType dataType, Shape shape) {
    String output = declared.name();
    if (declared.dataType() != dataType) {
      throw violations.add("output '%s' is %s, not %s", output, declared.dataType(), dataType);
    }
    Shape wanted = declared.modelSpec(config.maxBatchSize()).shape();
    boolean anyShape = config.batchOutput(output).isPresent();
    // As from Triton: the values of a shape tensor, for each row of the request.
    boolean rowsOfValues =
        declared.shapeTensor()
            && config.batches()
            && wanted.withLeading(Shape.WILDCARD).accepts(shape);
    if (!shape.isConcrete() || !(anyShape || rowsOfValues || wanted.accepts(shape))) {
      throw violations.add("output '%s' has shape %s, declared as %s", output, shape, wanted);
    }
  }

  void size(String output, DataType dataType, Shape shape, long byteSize) {
    if (dataType.hasFixedSize() && byteSize != shape.elementCount() * dataType.byteSize()) {
      throw violations.add("output '%s' of shape %s has %d bytes", output, shape, byteSize);
    }
  }

  /** Checks an output whose content is complete. */
  void content(Tensor output) {
    if (output.dataType() != DataType.BYTES) {
      return;
    }
    long count;
    try {
      count = BytesElements.forEach(output.data(), (_, _) -> {});
    } catch (IllegalArgumentException cutOff) {
      violations.add("output '%s': %s", output.name(), cutOff);
      return;
    }
    if (count != output.shape().elementCount()) {
      violations.add(
          "output '%s' of shape %s has %d elements", output.name(), output.shape(), count);
    }
  }
}

package io.nereid.tck.support;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;

/** Whether a backend's outputs are those that its model declares. */
record OutputChecks(ModelConfig config, TestResults.Violations violations) {
  void output(Tensor output) {
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
}

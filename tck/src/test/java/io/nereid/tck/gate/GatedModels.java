package io.nereid.tck.gate;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.nio.file.Path;
import java.util.Map;

/** Models of two FP32 tensors that the gate runs. */
final class GatedModels {
  private GatedModels() {}

  static BackendUnderTest named(String name, Map<String, String> parameters) {
    return named(name, parameters, false);
  }

  static BackendUnderTest named(String name, Map<String, String> parameters, boolean decoupled) {
    var config =
        ModelConfig.of(name, GateBackend.NAME).toBuilder()
            .maxBatchSize(8)
            .inputs(tensor("IN0"), tensor("IN1"))
            .outputs(tensor("OUT0"), tensor("OUT1"))
            .decoupled(decoupled)
            .parameters(parameters)
            .build();
    return BackendUnderTest.of(new GateBackend(), new ModelFiles(Path.of(name), 1), config);
  }

  private static TensorConfig tensor(String name) {
    return TensorConfig.of(name, DataType.FP32, Shape.of(-1));
  }
}

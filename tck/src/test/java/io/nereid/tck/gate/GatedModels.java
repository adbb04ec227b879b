package io.nereid.tck.gate;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Models of two FP32 tensors that the gate runs. */
final class GatedModels {
  private GatedModels() {}

  static BackendUnderTest named(String name, Map<String, String> parameters) {
    return named(name, parameters, false);
  }

  static BackendUnderTest named(String name, Map<String, String> parameters, boolean decoupled) {
    var bare = ModelConfig.of(name, GateBackend.NAME);
    var config =
        new ModelConfig(
            bare.name(),
            bare.platform(),
            bare.backend(),
            8,
            List.of(tensor("IN0"), tensor("IN1")),
            List.of(tensor("OUT0"), tensor("OUT1")),
            bare.batchInputs(),
            bare.batchOutputs(),
            bare.scheduling(),
            decoupled,
            bare.defaultModelFilename(),
            bare.computeCapabilityFilenames(),
            bare.operationLibraries(),
            bare.optimization(),
            parameters);
    return BackendUnderTest.of(new GateBackend(), new ModelFiles(Path.of(name), 1), config);
  }

  private static TensorConfig tensor(String name) {
    return TensorConfig.of(name, DataType.FP32, Shape.of(-1));
  }
}

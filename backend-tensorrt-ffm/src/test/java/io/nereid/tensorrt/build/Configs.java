package io.nereid.tensorrt.build;

import io.nereid.config.ModelConfig;
import io.nereid.config.OptimizationSettings;
import io.nereid.config.SchedulingSettings;
import io.nereid.config.TensorConfig;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.List;
import java.util.Map;

/** Configurations of the model {@code m}. */
final class Configs {
  private Configs() {}

  static ModelConfig of(
      int maxBatchSize, List<TensorConfig> inputs, Map<String, String> parameters) {
    return of(maxBatchSize, inputs, parameters, "", Map.of());
  }

  static ModelConfig of(
      int maxBatchSize,
      List<TensorConfig> inputs,
      Map<String, String> parameters,
      String file,
      Map<String, String> byComputeCapability) {
    return new ModelConfig(
        "m",
        "tensorrt_plan",
        "tensorrt",
        maxBatchSize,
        inputs,
        List.of(),
        List.of(),
        List.of(),
        new SchedulingSettings.Direct(),
        false,
        file,
        byComputeCapability,
        List.of(),
        OptimizationSettings.DEFAULT,
        parameters);
  }

  static TensorConfig input(String name, long... dims) {
    return TensorConfig.of(name, DataType.FP32, Shape.of(dims));
  }
}

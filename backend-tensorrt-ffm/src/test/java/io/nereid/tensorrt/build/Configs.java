package io.nereid.tensorrt.build;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.List;
import java.util.Map;

/** Configurations of the model {@code m}. */
public final class Configs {
  private Configs() {}

  public static ModelConfig of(
      int maxBatchSize, List<TensorConfig> inputs, Map<String, String> parameters) {
    return of(maxBatchSize, inputs, parameters, "", Map.of());
  }

  public static ModelConfig of(
      int maxBatchSize,
      List<TensorConfig> inputs,
      Map<String, String> parameters,
      String file,
      Map<String, String> byComputeCapability) {
    return ModelConfig.of("m", "tensorrt").toBuilder()
        .platform("tensorrt_plan")
        .maxBatchSize(maxBatchSize)
        .inputs(inputs)
        .defaultModelFilename(file)
        .computeCapabilityFilenames(byComputeCapability)
        .parameters(parameters)
        .build();
  }

  public static TensorConfig input(String name, long... dims) {
    return TensorConfig.of(name, DataType.FP32, Shape.of(dims));
  }
}

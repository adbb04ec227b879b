package io.nereid.config;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * {@code ensemble_scheduling}: a graph of models, connected by named tensors.
 *
 * @param maxInflightRequests how many requests each step may have in flight, counted over all
 *     requests of the ensemble; 0 for no limit
 */
public record EnsembleSettings(List<Step> steps, long maxInflightRequests)
    implements SchedulingSettings {
  public EnsembleSettings {
    steps = List.copyOf(steps);
  }

  /**
   * One model of an ensemble.
   *
   * @param modelVersion empty for the newest version that is ready
   * @param inputMap from the model's input to the ensemble's tensor
   * @param outputMap from the model's output to the ensemble's tensor
   */
  public record Step(
      String modelName,
      OptionalLong modelVersion,
      Map<String, String> inputMap,
      Map<String, String> outputMap) {
    public Step {
      inputMap = Map.copyOf(inputMap);
      outputMap = Map.copyOf(outputMap);
    }
  }
}

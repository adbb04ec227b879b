package io.nereid.config;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * {@code ensemble_scheduling}: models that run one behind the other, tied by named tensors.
 *
 * @param maxInflightRequests requests that each step may have under way, over all requests of the
 *     ensemble; 0 sets no limit
 */
public record EnsembleSettings(List<Step> steps, long maxInflightRequests)
    implements SchedulingSettings {
  public EnsembleSettings {
    steps = List.copyOf(steps);
  }

  /**
   * One model of an ensemble.
   *
   * @param modelVersion empty for the newest that is ready
   * @param inputMap the ensemble's tensor by the name of the model's input
   * @param outputMap the ensemble's tensor by the name of the model's output
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

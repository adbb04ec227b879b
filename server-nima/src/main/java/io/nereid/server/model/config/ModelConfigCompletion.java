package io.nereid.server.model.config;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.server.model.config.conversion.ModelConfigMerge;
import io.nereid.server.model.config.conversion.ModelConfigRecords;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;

/**
 * The completion of a polled configuration before a version loads: the backend adds what the
 * model's file contains, the server's defaults are applied again, and the result is validated. A
 * failure fails the version.
 */
public final class ModelConfigCompletion {
  private final boolean autoComplete;
  private final InstanceGroups instanceGroups;

  /**
   * Creates the completion for all models of a server.
   *
   * @param autoComplete whether backends complete configurations
   * @param gpus the ids of the GPUs that instances may use
   */
  public ModelConfigCompletion(boolean autoComplete, List<Integer> gpus) {
    this.autoComplete = autoComplete;
    this.instanceGroups = new InstanceGroups(gpus);
  }

  /**
   * Completes the result of {@link ModelConfigReader}. That of an ensemble, which has neither a
   * backend nor instances, is only validated.
   *
   * @param backend {@link io.nereid.spi.Backend#complete} for one version
   * @param defaultCount {@link io.nereid.spi.Backend#defaultInstanceCount}
   * @throws InferenceException for the first violated rule, or from the backend
   */
  public ModelConfiguration complete(
      ModelDirectory directory,
      io.nereid.server.protobuf.ModelConfig polled,
      UnaryOperator<ModelConfig> backend,
      ToIntFunction<InstanceSettings.Kind> defaultCount) {
    SequenceStateValidator.validate(polled);
    BatchTensorValidator.validateForm(polled);
    if (polled.hasEnsembleScheduling()) {
      TensorConfigValidator.validate(polled);
      return new ModelConfiguration(polled, ModelConfigRecords.record(polled), List.of());
    }
    var message = polled;
    if (autoComplete) {
      ModelConfig draft = ModelConfigRecords.record(polled);
      message = ModelConfigMerge.merge(polled, draft, backend.apply(draft));
      message = ModelConfigNormalizer.normalize(message, directory);
      ModelConfigValidator.validate(message);
      SequenceStateValidator.validate(message);
    }
    TensorConfigValidator.validate(message);
    message = instanceGroups.normalize(message, defaultCount);
    instanceGroups.validate(message);
    return new ModelConfiguration(
        message, ModelConfigRecords.record(message), InstanceGroups.expand(message));
  }
}

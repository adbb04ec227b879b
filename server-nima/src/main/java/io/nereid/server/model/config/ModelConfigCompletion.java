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
 * Makes a polled configuration ready to load a version with: the backend fills in what the model's
 * file knows, the server applies its defaults again, and everything is checked. A failure here
 * means that the version is not loaded.
 */
public final class ModelConfigCompletion {
  private final boolean autoComplete;
  private final InstanceGroups instanceGroups;

  /**
   * A completion for all models of a server.
   *
   * @param autoComplete whether backends are asked at all
   * @param gpus the numbers of the GPUs that instances may use
   */
  public ModelConfigCompletion(boolean autoComplete, List<Integer> gpus) {
    this.autoComplete = autoComplete;
    this.instanceGroups = new InstanceGroups(gpus);
  }

  /**
   * Completes what {@link ModelConfigReader} returned. An ensemble's is complete as it is: it has
   * neither a backend nor instances.
   *
   * @param backend {@link io.nereid.spi.Backend#complete} for one version
   * @param defaultCount {@link io.nereid.spi.Backend#defaultInstanceCount}
   * @throws InferenceException for the first rule that the result breaks, or from the backend
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

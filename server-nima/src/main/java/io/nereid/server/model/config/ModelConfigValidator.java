package io.nereid.server.model.config;

import static io.nereid.server.model.config.ModelConfigNormalizer.ENSEMBLE;

import io.nereid.error.InferenceException;
import io.nereid.server.protobuf.ModelConfig;
import io.nereid.server.protobuf.ModelMetrics;

/**
 * The rules for a normalised configuration that depend neither on inputs and outputs nor on a
 * backend. Rules are applied in Triton's order and violations have Triton's messages.
 */
public final class ModelConfigValidator {
  private final ModelConfig config;
  private final String model;

  private ModelConfigValidator(ModelConfig config) {
    this.config = config;
    this.model = config.getName();
  }

  /**
   * Validates everything except inputs and outputs; see {@link TensorConfigValidator}.
   *
   * @throws InferenceException for the first violated rule
   */
  public static void validate(ModelConfig config) {
    new ModelConfigValidator(config).validate();
  }

  private void validate() {
    require(!model.isEmpty(), "model configuration must specify 'name'");
    checkBackend();
    require(
        config.getMaxBatchSize() >= 0, "'max_batch_size' must be non-negative value for %s", model);
    require(config.hasVersionPolicy(), "must specify 'version policy' for %s", model);
    if (config.hasDynamicBatching()) {
      DynamicBatchingValidator.validate(config);
    }
    if (config.hasSequenceBatching()) {
      require(
          !config.getResponseCache().getEnable(),
          "Response Cache does not currently support model %s with sequence batching scheduler"
              + " type. Please disable the response cache.",
          model);
      SequenceBatchingValidator.validate(config);
    }
    if (config.hasEnsembleScheduling()) {
      EnsembleValidator.validate(config);
    } else {
      require(
          !config.getPlatform().equals(ENSEMBLE),
          "ensemble scheduling must be set for ensemble %s whose platform is ensemble",
          model);
    }
    require(
        !(config.getModelTransactionPolicy().getDecoupled()
            && config.getResponseCache().getEnable()),
        "Response Cache does not currently support model %s with 'decoupled' transaction policy."
            + " Please disable the response cache.",
        model);
    config.getModelMetrics().getMetricControlList().forEach(this::checkMetric);
  }

  private void checkBackend() {
    String platform = config.getPlatform();
    String backend = config.getBackend();
    require(
        !backend.isEmpty() || platform.equals(ENSEMBLE),
        "unexpected platform type '%s' for %s",
        platform,
        model);
    require(
        backend.isEmpty() || !platform.equals(ENSEMBLE),
        "Ensemble model '%s' must have platform type 'ensemble' and empty backend type",
        model);
    require(
        ModelFormat.pairs(backend, platform),
        "unexpected 'platform' and 'backend' pair, got:%s, %s",
        platform,
        backend);
  }

  private void checkMetric(ModelMetrics.MetricControl control) {
    require(
        control.hasMetricIdentifier(),
        "metric control must specify 'metric_identifier' for %s",
        model);
    require(
        !control.getMetricIdentifier().getFamily().isEmpty(),
        "metric identifier must specify 'family' for %s",
        model);
    require(
        control.hasHistogramOptions(),
        "metric control must specify 'histogram_options' for %s",
        model);
    require(
        control.getHistogramOptions().getBucketsCount() > 0,
        "histogram options must specify 'buckets' for %s",
        model);
  }

  /** Fails with a formatted message unless {@code condition} is true. */
  static void require(boolean condition, String format, Object... arguments) {
    if (!condition) {
      throw InferenceException.invalid(format.formatted(arguments));
    }
  }
}

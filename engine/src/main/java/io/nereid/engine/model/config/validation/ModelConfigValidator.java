package io.nereid.engine.model.config.validation;

import static io.nereid.engine.model.config.validation.ModelFormat.ENSEMBLE;

import io.nereid.engine.model.config.text.FieldPath;
import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.protocol.config.ModelMetrics;
import io.nereid.spi.ModelFiles;
import java.util.regex.Pattern;

/**
 * The rules for a normalised configuration that depend neither on inputs and outputs nor on a
 * backend. Rules are applied in Triton's order and violations have Triton's messages.
 */
public final class ModelConfigValidator extends ConfigRules {
  /** File names of backends: of shared libraries, and of those that are written in Python. */
  private static final Pattern LIBRARY = Pattern.compile("[^/]+\\.(so|dll|py)");

  private ModelConfigValidator(ModelConfig config, ConfigProblems problems) {
    super(config, problems);
  }

  /**
   * Validates everything except inputs and outputs; see {@link TensorConfigValidator}.
   *
   * @throws InferenceException for the first violated rule
   */
  public static void validate(ModelConfig config) {
    var problems = new ConfigProblems();
    check(config, problems);
    problems.throwFirst(ConfigSource.NO_FILE);
  }

  public static void check(ModelConfig config, ConfigProblems problems) {
    new ModelConfigValidator(config, problems).check();
  }

  private void check() {
    problems.require(
        !model.isEmpty(), FieldPath.of("name"), "model configuration must specify 'name'");
    checkBackend();
    checkRuntime();
    checkFilenames();
    require(
        config.getMaxBatchSize() >= 0,
        FieldPath.of("max_batch_size"),
        "'max_batch_size' must be non-negative value");
    require(
        config.hasVersionPolicy(), FieldPath.of("version_policy"), "must specify 'version policy'");
    if (config.hasDynamicBatching()) {
      DynamicBatchingValidator.check(config, problems);
    }
    if (config.hasSequenceBatching()) {
      problems.require(
          !config.getResponseCache().getEnable(),
          FieldPath.of("response_cache").field("enable"),
          ("Response Cache does not currently support model %s with sequence batching scheduler"
                  + " type. Please disable the response cache.")
              .formatted(model));
      SequenceBatchingValidator.check(config, problems);
    }
    checkEnsemble();
    problems.require(
        !(config.getModelTransactionPolicy().getDecoupled()
            && config.getResponseCache().getEnable()),
        FieldPath.of("response_cache").field("enable"),
        ("Response Cache does not currently support model %s with 'decoupled' transaction policy."
                + " Please disable the response cache.")
            .formatted(model));
    for (int i = 0; i < config.getModelMetrics().getMetricControlCount(); i++) {
      checkMetric(
          config.getModelMetrics().getMetricControl(i),
          FieldPath.of("model_metrics").element("metric_control", i));
    }
  }

  private void checkBackend() {
    String platform = config.getPlatform();
    String backend = config.getBackend();
    boolean isEnsemble = platform.equals(ENSEMBLE);
    problems.require(
        !backend.isEmpty() || isEnsemble || platform.isEmpty(), // else reported without a backend
        FieldPath.of("platform"),
        "unexpected platform type '%s' for %s; if it is the name of a backend, write backend: \"%s\""
            .formatted(platform, model, platform));
    problems.require(
        backend.isEmpty() || !isEnsemble,
        FieldPath.of("backend"),
        "Ensemble model '%s' must have platform type 'ensemble' and empty backend type"
            .formatted(model));
    problems.require(
        isEnsemble || ModelFormat.pairs(backend, platform),
        FieldPath.of("platform"),
        "unexpected 'platform' and 'backend' pair, got:%s, %s".formatted(platform, backend));
  }

  /**
   * The backend's name alone finds it here; what no backend's library can be named is a mistake,
   * and a backend must not be taken from elsewhere.
   */
  private void checkRuntime() {
    String runtime = config.getRuntime();
    boolean inside = !runtime.contains("/");
    problems.require(
        inside,
        FieldPath.of("runtime"),
        "backend library name '%s' escapes backend directory".formatted(runtime));
    problems.require(
        !inside || runtime.isEmpty() || LIBRARY.matcher(runtime).matches(),
        FieldPath.of("runtime"),
        "unable to find backend library '%s' for model '%s'".formatted(runtime, model));
  }

  /** That of a label, state or sample is checked where the file is read. */
  private void checkFilenames() {
    checkFilename(config.getDefaultModelFilename(), FieldPath.of("default_model_filename"));
    config
        .getCcModelFilenamesMap()
        .forEach((capability, name) ->
            checkFilename(name, FieldPath.ROOT.entry("cc_model_filenames", capability)));
  }

  private void checkFilename(String name, FieldPath path) {
    if (IoReason.isByLocale(name)) {
      problems.require(
          false,
          path,
          "model file '%s' of model '%s' cannot be a path: %s"
              .formatted(name, model, IoReason.ofLocale()));
      return;
    }
    problems.require(
        ModelFiles.isInside(name),
        path,
        "model file '%s' of model '%s' is outside model directory".formatted(name, model));
  }

  private void checkEnsemble() {
    if (config.hasEnsembleScheduling()) {
      EnsembleValidator.check(config, problems);
    } else {
      problems.require(
          !config.getPlatform().equals(ENSEMBLE),
          FieldPath.of("platform"),
          "ensemble scheduling must be set for ensemble %s whose platform is ensemble"
              .formatted(model));
    }
  }

  private void checkMetric(ModelMetrics.MetricControl control, FieldPath path) {
    FieldPath identifier = path.field("metric_identifier");
    boolean identified =
        problems.require(
            control.hasMetricIdentifier(),
            identifier,
            "metric control must specify 'metric_identifier'");
    problems.require(
        !identified || !control.getMetricIdentifier().getFamily().isEmpty(),
        identifier.field("family"),
        "metric identifier must specify non-empty 'family'");
    FieldPath histogram = path.field("histogram_options");
    boolean chosen =
        problems.require(
            control.hasHistogramOptions(),
            histogram,
            "metric control must specify 'histogram_options'");
    problems.require(
        !chosen || control.getHistogramOptions().getBucketsCount() > 0,
        histogram.field("buckets"),
        "histogram options must specify non-empty 'buckets'");
  }
}

package io.nereid.engine.model.config;

import io.nereid.engine.model.config.validation.ModelFormat;
import io.nereid.error.InferenceException;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.protocol.config.ModelConfigOrBuilder;
import io.nereid.protocol.config.ModelSequenceBatching;
import io.nereid.protocol.config.ModelVersionPolicy;

/**
 * The server's defaults for a configuration: name, backend, platform, file name, version policy,
 * preferred batch sizes, idle time and pinned memory. Idempotent; applied again after a backend has
 * completed the configuration, since preferred batch sizes depend on the maximum batch size.
 */
public final class ModelConfigNormalizer {
  private static final long DEFAULT_IDLE_MICROS = 1_000_000;

  private ModelConfigNormalizer() {}

  /**
   * Adds the defaults to a configuration.
   *
   * @throws InferenceException if it names no backend and none is detected
   */
  public static ModelConfig normalize(ModelConfig config, ModelDirectory directory) {
    var filled = withoutBackend(config, directory).toBuilder();
    if (!config.getPlatform().equals(ModelFormat.ENSEMBLE)) {
      fillBackend(filled, directory);
      fillPlatform(filled, directory);
      fillPinnedMemory(filled);
    }
    return filled.build();
  }

  /** Adds the defaults that do not depend on the backend. */
  static ModelConfig withoutBackend(ModelConfig config, ModelDirectory directory) {
    var filled = config.toBuilder();
    if (config.getName().isEmpty()) {
      filled.setName(directory.name());
    }
    if (config.getVersionPolicy().getPolicyChoiceCase()
        == ModelVersionPolicy.PolicyChoiceCase.POLICYCHOICE_NOT_SET) {
      filled.getVersionPolicyBuilder().getLatestBuilder().setNumVersions(1);
    }
    fillScheduler(filled);
    return filled.build();
  }

  private static void fillBackend(ModelConfig.Builder config, ModelDirectory directory) {
    if (!config.getBackend().isEmpty()) {
      return;
    }
    String platform = config.getPlatform();
    String filename = config.getDefaultModelFilename();
    boolean isBare = platform.isEmpty() && filename.isEmpty() && config.getInputCount() == 0;
    if (isBare && directory.firstVersionDirectory().filter(ModelFormat::isText).isPresent()) {
      config.setBackend(ModelFormat.TEXT);
      return;
    }
    ModelFormat.detect(platform, filename, directory.firstVersionDirectory())
        .map(ModelFormat::backend)
        .or(() ->
            filename.isEmpty()
                ? directory.firstVersionDirectory().flatMap(ModelFormat::finderIn)
                : ModelFormat.finderOf(filename))
        .ifPresent(config::setBackend);
    if (config.getBackend().isEmpty() && platform.isEmpty()) {
      if (!filename.isEmpty()) {
        throw InferenceException.invalid(
            "unable to load model '%s', no backend is known of default_model_filename '%s', and the configuration names none: %s"
                .formatted(config.getName(), filename, UnknownFile.cure(filename)));
      }
      String backend = backendInName(config, directory);
      config.setBackend(backend).setDefaultModelFilename("model." + backend);
    }
  }

  private static String backendInName(ModelConfigOrBuilder config, ModelDirectory directory) {
    String name = config.getName();
    int dot = name.indexOf('.');
    if (dot < 0 || dot == name.length() - 1) {
      throw InferenceException.invalid(
          ("Invalid model name: Could not determine backend for model '%s' with no backend in"
                  + " model configuration. Expected model name of the form 'model.<backend_name>'.%s")
              .formatted(
                  name,
                  config.hasEnsembleScheduling()
                      ? " An ensemble has platform: \"ensemble\"."
                      : UnknownFile.in(directory)));
    }
    return name.substring(dot + 1);
  }

  private static void fillPlatform(ModelConfig.Builder config, ModelDirectory directory) {
    ModelFormat.of(
            config.getBackend(),
            config.getPlatform(),
            config.getDefaultModelFilename(),
            directory.firstVersionDirectory())
        .ifPresent(format -> {
          if (config.getPlatform().isEmpty()) {
            config.setPlatform(format.platform());
          }
          if (config.getDefaultModelFilename().isEmpty()) {
            config.setDefaultModelFilename(format.filename());
          }
        });
  }

  private static void fillPinnedMemory(ModelConfig.Builder config) {
    var optimization = config.getOptimizationBuilder();
    if (!optimization.hasInputPinnedMemory()) {
      optimization.getInputPinnedMemoryBuilder().setEnable(true);
    }
    if (!optimization.hasOutputPinnedMemory()) {
      optimization.getOutputPinnedMemoryBuilder().setEnable(true);
    }
  }

  private static void fillScheduler(ModelConfig.Builder config) {
    int maxBatchSize = config.getMaxBatchSize();
    if (config.hasDynamicBatching()
        && config.getDynamicBatching().getPreferredBatchSizeCount() == 0
        && maxBatchSize > 0) {
      config.getDynamicBatchingBuilder().addPreferredBatchSize(maxBatchSize);
    }
    if (config.hasSequenceBatching()) {
      fillSequences(config.getSequenceBatchingBuilder(), maxBatchSize);
    }
  }

  private static void fillSequences(ModelSequenceBatching.Builder sequences, int maxBatchSize) {
    if (sequences.getMaxSequenceIdleMicroseconds() == 0) {
      sequences.setMaxSequenceIdleMicroseconds(DEFAULT_IDLE_MICROS);
    }
    if (sequences.hasOldest()
        && sequences.getOldest().getPreferredBatchSizeCount() == 0
        && maxBatchSize > 0) {
      sequences.getOldestBuilder().addPreferredBatchSize(maxBatchSize);
    }
  }
}

package io.nereid.engine.model.config;

import io.nereid.config.InstanceSettings;
import io.nereid.engine.model.config.conversion.ModelConfigMerge;
import io.nereid.engine.model.config.conversion.ModelConfigRecords;
import io.nereid.engine.model.config.text.FieldPath;
import io.nereid.engine.model.config.validation.BatchTensorValidator;
import io.nereid.engine.model.config.validation.ConfigProblems;
import io.nereid.engine.model.config.validation.ModelConfigValidator;
import io.nereid.engine.model.config.validation.SequenceStateValidator;
import io.nereid.engine.model.config.validation.TensorConfigValidator;
import io.nereid.error.InferenceException;
import io.nereid.protocol.config.ModelConfig;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;

/**
 * The completion of a polled configuration before a version loads: the backend adds what the
 * model's file contains, the server's defaults are applied again, and the result is validated. A
 * failure fails the version.
 */
public record ModelConfigCompletion(ConfigSettings settings) {
  /**
   * Completes the result of {@link ModelConfigReader}. That of an ensemble, which has neither a
   * backend nor instances, is only validated.
   *
   * @param backend {@link io.nereid.spi.Backend#complete} for one version
   * @param defaultCount {@link io.nereid.spi.Backend#defaultInstanceCount}
   * @param gpus {@link io.nereid.spi.Backend#gpus}
   * @throws InferenceException for the first violated rule, with the position of the field, or from
   *     the backend
   */
  public ModelConfiguration complete(
      ModelDirectory directory,
      PolledConfig polled,
      UnaryOperator<io.nereid.config.ModelConfig> backend,
      ToIntFunction<InstanceSettings.Kind> defaultCount,
      List<Integer> gpus) {
    var problems = new ConfigProblems();
    var message = complete(directory, polled.message(), backend, defaultCount, gpus, problems);
    problems.throwFirst(polled.source());
    return new ModelConfiguration(
        message,
        ModelConfigRecords.record(message),
        InstanceGroups.expand(message),
        polled.message().getMaxBatchSize() == 0 && message.getMaxBatchSize() > 0);
  }

  /**
   * Completes as far as possible, and applies all rules.
   *
   * @param problems if there are any already, the backend is not called
   * @return the result, even if there are problems
   */
  public ModelConfig complete(
      ModelDirectory directory,
      ModelConfig polled,
      UnaryOperator<io.nereid.config.ModelConfig> backend,
      ToIntFunction<InstanceSettings.Kind> defaultCount,
      List<Integer> gpus,
      ConfigProblems problems) {
    SequenceStateValidator.check(polled, problems);
    BatchTensorValidator.checkForm(polled, problems);
    if (polled.hasEnsembleScheduling()) {
      TensorConfigValidator.check(polled, problems);
      return polled;
    }
    var message = polled;
    if (settings.autoComplete() && problems.isEmpty()) {
      message = completedBy(backend, directory, polled, problems);
    }
    TensorConfigValidator.check(message, problems);
    var instanceGroups = new InstanceGroups(gpus);
    message = instanceGroups.normalize(message, defaultCount);
    instanceGroups.check(message, problems);
    settings.limits().check(message, problems);
    return message;
  }

  private static ModelConfig completedBy(
      UnaryOperator<io.nereid.config.ModelConfig> backend,
      ModelDirectory directory,
      ModelConfig polled,
      ConfigProblems problems) {
    io.nereid.config.ModelConfig draft;
    try {
      draft = ModelConfigRecords.record(polled);
    } catch (InferenceException untyped) {
      TensorConfigValidator.check(polled, problems); // finds the same, with its position
      problems.add(FieldPath.ROOT, untyped);
      return polled;
    }
    try {
      var message = ModelConfigMerge.merge(polled, draft, backend.apply(draft));
      message = ModelConfigNormalizer.normalize(message, directory);
      ModelConfigValidator.check(message, problems);
      SequenceStateValidator.check(message, problems);
      return message;
    } catch (InferenceException failed) {
      problems.add(named(polled, failed.getMessage()), failed);
      return polled;
    }
  }

  /** The input, output or parameter that a backend's message names in quotes, else the whole. */
  public static FieldPath named(ModelConfig config, String message) {
    for (int i = 0; i < config.getInputCount(); i++) {
      if (message.contains("input '" + config.getInput(i).getName() + "'")) {
        return FieldPath.of("input", i);
      }
    }
    for (int i = 0; i < config.getOutputCount(); i++) {
      if (message.contains("output '" + config.getOutput(i).getName() + "'")) {
        return FieldPath.of("output", i);
      }
    }
    for (String key : config.getParametersMap().keySet()) {
      if (message.contains("parameter '" + key + "'")) {
        return FieldPath.ROOT.entry("parameters", key);
      }
    }
    return FieldPath.ROOT;
  }
}

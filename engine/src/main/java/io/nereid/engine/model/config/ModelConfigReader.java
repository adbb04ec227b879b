package io.nereid.engine.model.config;

import io.nereid.engine.model.config.conversion.ModelConfigJsonReader;
import io.nereid.engine.model.config.text.ConfigText;
import io.nereid.engine.model.config.text.ConfigTextReader;
import io.nereid.engine.model.config.text.FieldPath;
import io.nereid.engine.model.config.text.TextProblem;
import io.nereid.engine.model.config.validation.ConfigLimits;
import io.nereid.engine.model.config.validation.ConfigProblems;
import io.nereid.engine.model.config.validation.ConfigSource;
import io.nereid.engine.model.config.validation.ModelConfigValidator;
import io.nereid.engine.model.config.validation.TensorConfigValidator;
import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import io.nereid.error.StatusCode;
import io.nereid.protocol.config.ModelConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Reads a model's configuration from a load request, {@code configs/<name>.pbtxt}, {@code
 * config.pbtxt} or, without a file, from the directory. The result has the server's defaults and
 * satisfies the rules that need no backend; {@link ModelConfigCompletion} does the rest. A failure
 * fails the model.
 */
public record ModelConfigReader(ConfigSettings settings) {
  /**
   * Reads the configuration file; without one, the configuration has defaults only.
   *
   * @throws InferenceException with the file, line, column and field of the first problem
   */
  public PolledConfig read(ModelDirectory directory) {
    Optional<Path> file = directory.configFile(settings.preferred());
    if (file.isEmpty() && !settings.autoComplete()) {
      throw missing(directory);
    }
    if (file.isEmpty()) {
      return checked(ModelConfig.getDefaultInstance(), ConfigSource.NO_FILE, directory);
    }
    ConfigText text = parse(file.get());
    List<TextProblem> problems = text.problems().stream().filter(TextProblem::fails).toList();
    if (!problems.isEmpty()) {
      throw malformed(file.get(), problems);
    }
    return checked(text.message(), ConfigSource.of(file.get(), text), directory);
  }

  public static InferenceException missing(ModelDirectory directory) {
    return InferenceException.invalid(
        "model '%s' has no config.pbtxt in %s, and automatic completion is disabled"
            .formatted(directory.name(), directory.path()));
  }

  private static InferenceException malformed(Path file, List<TextProblem> problems) {
    TextProblem first = problems.getFirst();
    return InferenceException.invalid(
        "failed to read text proto from %s:%s: %s%s"
            .formatted(
                file,
                first.position(),
                first.message(),
                problems.size() == 1 ? "" : " (and %d more)".formatted(problems.size() - 1)));
  }

  /**
   * Reads the configuration of a load request, which replaces the file.
   *
   * @throws InferenceException if it is not a configuration in JSON
   */
  public PolledConfig readOverride(ModelDirectory directory, String json) {
    ModelConfig config;
    try {
      config = ModelConfigJsonReader.read(json);
    } catch (InferenceException malformed) {
      throw InferenceException.invalid("Invalid config override: " + malformed.getMessage());
    }
    return checked(config, ConfigSource.NO_FILE, directory);
  }

  /** The configuration of a part of a model, which no file has. */
  PolledConfig part(ModelConfig config, ModelDirectory directory) {
    return checked(config, ConfigSource.NO_FILE, directory);
  }

  private PolledConfig checked(ModelConfig config, ConfigSource source, ModelDirectory directory) {
    var problems = new ConfigProblems();
    ModelConfig normal = check(config, directory, problems);
    problems.throwFirst(source);
    return new PolledConfig(normal, source);
  }

  /**
   * Adds the server's defaults, and applies the rules that need no backend.
   *
   * @return the result, even if there are problems
   */
  public ModelConfig check(ModelConfig config, ModelDirectory directory, ConfigProblems problems) {
    problems.require(
        ModelDirectory.isModelName(directory.name()),
        FieldPath.of("name"),
        ModelDirectory.INVALID_NAME.formatted(directory.name()));
    if (!ConfigLimits.checkLists(config, problems)) {
      return config;
    }
    Optional<ModelConfig> named =
        directory.isBare()
            ? problems.attempt(
                FieldPath.of("default_model_filename"), () -> BareModel.withFile(config, directory))
            : Optional.of(config);
    if (named.isEmpty()) {
      return ModelConfigNormalizer.withoutBackend(config, directory);
    }
    ModelConfig normal =
        problems
            .attempt(
                FieldPath.of("backend"),
                () -> ModelConfigNormalizer.normalize(named.get(), directory))
            .orElseGet(() -> ModelConfigNormalizer.withoutBackend(named.get(), directory));
    ModelConfigValidator.check(normal, problems);
    if (!settings.autoComplete()) {
      TensorConfigValidator.check(normal, problems);
    }
    problems.require(
        normal.getName().equals(directory.name()),
        FieldPath.of("name"),
        (directory.isBare()
                ? "unexpected name '%s' by --model-name for model '%s' of the configuration"
                : "unexpected directory name '%s' for model '%s', directory name must equal model name")
            .formatted(directory.name(), normal.getName()));
    return normal;
  }

  /**
   * Reads a file, which may have problems.
   *
   * @throws InferenceException if it cannot be read
   */
  public static ConfigText parse(Path file) {
    try {
      return ConfigTextReader.read(ModelDirectory.read(file));
    } catch (IOException unreadable) {
      throw new InferenceException(
          StatusCode.INTERNAL,
          "failed to read %s: %s".formatted(file, IoReason.of(unreadable)),
          unreadable);
    }
  }
}

package io.nereid.server.model.config;

import com.google.protobuf.TextFormat;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.server.model.config.conversion.ModelConfigJsonReader;
import io.nereid.server.protobuf.ModelConfig;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Reads a model's configuration from a load request, {@code configs/<name>.pbtxt}, {@code
 * config.pbtxt} or, without a file, from the directory. The result has the server's defaults and
 * satisfies the rules that need no backend; {@link ModelConfigCompletion} does the rest. A failure
 * fails the model.
 */
public final class ModelConfigReader {
  private final Optional<String> configName;
  private final boolean autoComplete;

  /**
   * Creates the reader for all models of a server.
   *
   * @param configName {@code --model-config-name}: the preferred file of {@code configs}
   * @param autoComplete whether backends complete configurations; if not, the file must exist and
   *     specify all inputs and outputs
   */
  public ModelConfigReader(Optional<String> configName, boolean autoComplete) {
    this.configName = configName;
    this.autoComplete = autoComplete;
  }

  /**
   * Reads the configuration file; without one, the configuration has defaults only.
   *
   * @throws InferenceException with the file, and the line if it cannot be parsed
   */
  public ModelConfig read(ModelDirectory directory) {
    Optional<Path> file = directory.configFile(configName);
    if (file.isEmpty() && !autoComplete) {
      throw InferenceException.invalid(
          "model '%s' has no config.pbtxt in %s, and automatic completion is disabled"
              .formatted(directory.name(), directory.path()));
    }
    return check(file.map(this::parseText).orElse(ModelConfig.getDefaultInstance()), directory);
  }

  /**
   * Reads the configuration of a load request, which replaces the file.
   *
   * @throws InferenceException if it is not a configuration in JSON
   */
  public ModelConfig readOverride(ModelDirectory directory, String json) {
    ModelConfig config;
    try {
      config = ModelConfigJsonReader.read(json);
    } catch (InferenceException malformed) {
      throw InferenceException.invalid("Invalid config override: " + malformed.getMessage());
    }
    return check(config, directory);
  }

  private ModelConfig check(ModelConfig config, ModelDirectory directory) {
    ModelConfig normal = ModelConfigNormalizer.normalize(config, directory);
    if (!normal.getName().equals(directory.name())) {
      throw InferenceException.invalid(
          "unexpected directory name '%s' for model '%s', directory name must equal model name"
              .formatted(directory.name(), normal.getName()));
    }
    ModelConfigValidator.validate(normal);
    if (!autoComplete) {
      TensorConfigValidator.validate(normal);
    }
    return normal;
  }

  private ModelConfig parseText(Path file) {
    try {
      var config = ModelConfig.newBuilder();
      TextFormat.getParser().merge(Files.readString(file), config);
      return config.build();
    } catch (TextFormat.ParseException malformed) {
      // The parser's message begins with "line:column: ".
      throw InferenceException.invalid(
          "failed to read text proto from %s: line %d, column %d: %s"
              .formatted(
                  file,
                  malformed.getLine(),
                  malformed.getColumn(),
                  String.valueOf(malformed.getMessage()).replaceFirst("^\\d+:\\d+: ", "")));
    } catch (CharacterCodingException notText) {
      throw InferenceException.invalid(
          "failed to read text proto from %s: it is not UTF-8".formatted(file));
    } catch (IOException unreadable) {
      throw new InferenceException(
          StatusCode.INTERNAL,
          "failed to read %s: %s".formatted(file, unreadable.getMessage()),
          unreadable);
    }
  }
}

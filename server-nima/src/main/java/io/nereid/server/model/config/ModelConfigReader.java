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
 * Reads a model's configuration from where it comes from: a load request, {@code
 * configs/<name>.pbtxt}, {@code config.pbtxt}, or nothing but the directory. What it returns has
 * the server's defaults and has passed the rules that need no backend; {@link
 * ModelConfigCompletion} does the rest. A failure here means that the model is not polled.
 */
public final class ModelConfigReader {
  private final Optional<String> configName;
  private final boolean autoComplete;

  /**
   * A reader for all models of a server.
   *
   * @param configName {@code --model-config-name}: prefers that file of {@code configs}
   * @param autoComplete whether a backend may complete what is missing; if not, the file must exist
   *     and name every input and output in full
   */
  public ModelConfigReader(Optional<String> configName, boolean autoComplete) {
    this.configName = configName;
    this.autoComplete = autoComplete;
  }

  /**
   * The configuration on disk, or an empty one with defaults where that is allowed.
   *
   * @throws InferenceException naming the file, and the line if its text is wrong
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
   * The configuration of a load request, which replaces the file completely.
   *
   * @throws InferenceException if it is no configuration in JSON
   */
  ModelConfig readOverride(ModelDirectory directory, String json) {
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
      // The parser's message begins with "line:column: ", which is said in words here.
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

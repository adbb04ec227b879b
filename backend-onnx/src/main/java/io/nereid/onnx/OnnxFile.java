package io.nereid.onnx;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.onnx.ort.OrtEnvironment;
import io.nereid.onnx.ort.OrtException;
import io.nereid.onnx.ort.OrtSession;
import io.nereid.onnx.ort.OrtSessionOptions;
import io.nereid.onnx.ort.SystemLocale;
import io.nereid.spi.ModelFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The file of a model version, with the libraries of custom operators that it needs.
 *
 * @param model name of the model, for messages
 */
record OnnxFile(String model, Path path, List<Path> operatorLibraries) {
  private static final String DEFAULT_NAME = "model.onnx";

  /**
   * Finds the file that the configuration names in the version directory. If the name is that of a
   * directory, the file is {@code model.onnx} in it.
   *
   * @throws InferenceException UNAVAILABLE if there is no regular file, INVALID_ARGUMENT if it is
   *     outside the model's directory
   */
  static OnnxFile of(ModelFiles files, ModelConfig config) {
    String name = config.defaultModelFilename();
    Path path = files.file(name.isEmpty() ? DEFAULT_NAME : name);
    if (Files.isDirectory(path)) {
      path = path.resolve(DEFAULT_NAME);
    }
    if (!Files.exists(path)) {
      throw InferenceException.unavailable(
          "unable to find '%s' for model '%s'".formatted(path, config.name()));
    }
    if (!Files.isRegularFile(path)) {
      throw InferenceException.unavailable(
          "'%s' of model '%s' is not a regular file".formatted(path, config.name()));
    }
    var libraries =
        config.operationLibraries().stream()
            .map(library -> Permissions.libraryInside(files, config, library))
            .toList();
    return new OnnxFile(config.name(), path, libraries);
  }

  void addCustomOperators(OrtSessionOptions options) {
    for (Path library : operatorLibraries) {
      try {
        options.customOperators(library);
      } catch (OrtException failure) {
        throw failure("custom operators '%s'".formatted(library), failure);
      }
    }
  }

  OrtSession open(OrtEnvironment environment, OrtSessionOptions options) {
    try {
      return environment.open(path, options);
    } catch (OrtException failure) {
      if (failure.isCancelledLoad()) {
        throw InferenceException.unavailable(
            "the load of model '%s' is cancelled".formatted(model));
      }
      if (failure.isWithoutSharedThreads()) {
        throw InferenceException.unavailable(
            ("model '%s' does not load: 'enable-global-threadpool' is true, and another engine of"
                    + " this process has opened '%s' without it; give all engines the same value,"
                    + " or this one a copy of the file by backend option 'library'")
                .formatted(model, environment.library()));
      }
      throw failure("'%s'".formatted(path), failure);
    }
  }

  private InferenceException failure(String what, OrtException cause) {
    String reason =
        cause.isOfMissingLocale()
            ? ("an operator StringNormalizer needs a locale that this system lacks, by default %s: %s;"
                    + " %s")
                .formatted(SystemLocale.NAME, SystemLocale.CURE, cause.getMessage())
            : String.valueOf(cause.getMessage());
    return new InferenceException(
        StatusCode.INTERNAL,
        "failed to load model '%s' from %s: %s".formatted(model, what, reason),
        cause);
  }
}

package io.nereid.onnx;

import io.nereid.config.ModelConfig;
import io.nereid.config.OptimizationSettings.Accelerator;
import io.nereid.error.InferenceException;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelFiles.Trust;
import io.nereid.spi.TypedOptions;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Set;

/**
 * What a configuration may pass to ONNX Runtime, whose parameters write files, open libraries and
 * take addresses of memory. Allowed are the {@link SafeParameters}, and for models of a repository
 * what the operator allows by backend options:
 *
 * <ul>
 *   <li>{@code allowed-parameters}: further parameters that begin with {@code session.}, and of
 *       accelerators, separated by {@code ;};
 *   <li>{@code custom-operators}: whether libraries of {@code model_operations} are opened. They
 *       must be in the model's directory.
 * </ul>
 */
record Permissions(Set<String> parameters, boolean customOperators) {
  private static final String PARAMETERS = "allowed-parameters";
  private static final String OPERATORS = "custom-operators";
  private static final String OPTION = "--backend-config=onnxruntime,%s=%s";

  Permissions {
    parameters = Set.copyOf(parameters);
  }

  static Permissions of(TypedOptions options) {
    return new Permissions(Set.copyOf(options.list(PARAMETERS)), options.flag(OPERATORS, false));
  }

  /**
   * Checks a configuration, without opening anything that it names.
   *
   * @throws InferenceException INVALID_ARGUMENT; the message names the model, the field, and the
   *     option by which the operator allows it
   */
  void check(ModelFiles files, ModelConfig config) {
    var check = new Check(config.name(), files.trust());
    for (String key : config.parameters().keySet()) {
      if (key.startsWith(SafeParameters.PREFIX) && !SafeParameters.SESSION.contains(key)) {
        check.parameter("parameter '%s'".formatted(key), key);
      }
    }
    config.optimization().gpuAccelerators().forEach(check::accelerator);
    config.optimization().cpuAccelerators().forEach(check::accelerator);
    for (String library : config.operationLibraries()) {
      check.library(library);
      libraryInside(files, config, library);
    }
  }

  private final class Check {
    private final String model;
    private final Trust trust;

    Check(String model, Trust trust) {
      this.model = model;
      this.trust = trust;
    }

    void accelerator(Accelerator accelerator) {
      Set<String> safe = SafeParameters.of(accelerator.name());
      for (String key : accelerator.parameters().keySet()) {
        if (!safe.contains(ExecutionProviders.TENSORRT_NAMES.getOrDefault(key, key))) {
          parameter("parameter '%s' of accelerator '%s'".formatted(key, accelerator.name()), key);
        }
      }
    }

    void parameter(String field, String key) {
      require(
          parameters.contains(key),
          field,
          "it may lead ONNX Runtime to files, libraries or addresses",
          OPTION.formatted(PARAMETERS, key));
    }

    void library(String name) {
      require(
          customOperators,
          "library '%s' of 'model_operations'".formatted(name),
          "it would be executed",
          OPTION.formatted(OPERATORS, "true"));
    }

    private void require(boolean allowed, String field, String why, String option) {
      if (trust == Trust.CLIENT) {
        throw InferenceException.invalid(
            ("model '%s': %s is refused in a load request that brings the configuration or files:"
                    + " %s; %s can allow it for models of a repository")
                .formatted(model, field, why, option));
      }
      if (!allowed) {
        throw InferenceException.invalid(
            "model '%s': %s is refused: %s, and the operator has not set %s"
                .formatted(model, field, why, option));
      }
    }
  }

  /**
   * The real path of a library in the model's directory.
   *
   * @param name relative to that directory, or absolute
   * @throws InferenceException INVALID_ARGUMENT if it is elsewhere, UNAVAILABLE if it does not
   *     exist
   */
  static Path libraryInside(ModelFiles files, ModelConfig config, String name) {
    String field = "model '%s': library '%s' of 'model_operations'".formatted(config.name(), name);
    try {
      Path directory = files.modelDirectory().toRealPath();
      Path file = directory.resolve(name);
      boolean inside =
          file.normalize().startsWith(directory)
              || file.normalize().startsWith(files.modelDirectory().toAbsolutePath());
      if (inside) { // else the disk is not asked: an answer would say what exists there
        file = file.toRealPath();
        inside = file.startsWith(directory);
      }
      if (!inside) {
        throw outside(field);
      }
      return file;
    } catch (InvalidPathException noPath) {
      throw outside(field);
    } catch (IOException missing) {
      throw InferenceException.unavailable(field + " cannot be found in the model's directory");
    }
  }

  private static InferenceException outside(String field) {
    return InferenceException.invalid(field + " is outside model directory");
  }
}

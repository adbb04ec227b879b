package io.nereid.tensorrt.build;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.ModelFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The plans of a backend's models. Thread-safe.
 *
 * <pre>{@code
 * device.use();
 * try (Plan plan = plans.open(files, config, gpu)) {
 *   engine = runtime.deserialize(plan.bytes());
 * }
 * }</pre>
 */
public final class PlanSource {
  private static final String DEFAULT_NAME = "model.plan";

  /**
   * Opens the plan of a model version for a device. The file in the version directory is, in this
   * order: that of {@code cc_model_filenames} for the device's compute capability, {@code
   * default_model_filename}, {@code model.plan}.
   *
   * @param gpu the device that is current on this thread
   * @throws InferenceException UNAVAILABLE if there is no plan, INTERNAL if it cannot be read
   */
  public Plan open(ModelFiles files, ModelConfig config, Gpu gpu) {
    return read(config, file(files, config, gpu));
  }

  private static Path file(ModelFiles files, ModelConfig config, Gpu gpu) {
    String name =
        config
            .computeCapabilityFilenames()
            .getOrDefault(gpu.computeCapability(), config.defaultModelFilename());
    return files.versionDirectory().resolve(name.isEmpty() ? DEFAULT_NAME : name);
  }

  private static Plan read(ModelConfig config, Path file) {
    if (!Files.isRegularFile(file)) {
      throw InferenceException.unavailable(
          "unable to find '%s' for model '%s'".formatted(file, config.name()));
    }
    try {
      return Plan.read(file);
    } catch (IOException failure) {
      throw new InferenceException(
          StatusCode.INTERNAL,
          "cannot read plan '%s' of model '%s': %s".formatted(file, config.name(), failure),
          failure);
    }
  }
}

package io.nereid.tensorrt.build;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.ModelFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The file of a model version that a device uses.
 *
 * @param model name of the model, for messages
 * @param build how its plan is built if it is an ONNX file; empty if it is a plan
 */
record ModelFile(String model, Path path, Optional<BuildSettings> build) {
  private static final String DEFAULT_PLAN = "model.plan";
  private static final String DEFAULT_ONNX = "model.onnx";

  /**
   * Chooses the file; see {@link PlanSource#open}.
   *
   * @throws InferenceException UNAVAILABLE if it does not exist, INVALID_ARGUMENT if a parameter is
   *     invalid or the file is outside the model's directory
   */
  static ModelFile of(ModelFiles files, ModelConfig config, Gpu gpu) {
    String forCapability = config.computeCapabilityFilenames().get(gpu.computeCapability());
    Optional<BuildSettings> build =
        forCapability == null ? BuildSettings.of(config) : Optional.empty();
    String name = forCapability == null ? name(config, build) : forCapability;
    Path path = files.file(name);
    if (!Files.isRegularFile(path)) {
      throw InferenceException.unavailable(
          "unable to find '%s' for model '%s'".formatted(path, config.name()));
    }
    return new ModelFile(config.name(), path, build);
  }

  private static String name(ModelConfig config, Optional<BuildSettings> build) {
    String stated = config.defaultModelFilename();
    if (build.isEmpty()) {
      return stated.isEmpty() ? DEFAULT_PLAN : stated;
    }
    if (!build.get().file().isEmpty()) {
      return build.get().file();
    }
    // The server states the default name of a plan for every model of this backend.
    return stated.isEmpty() || stated.equals(DEFAULT_PLAN) ? DEFAULT_ONNX : stated;
  }

  /**
   * Reads the file as a plan.
   *
   * @throws InferenceException INTERNAL if it cannot be read
   */
  Plan readPlan() {
    try {
      return Plan.read(path);
    } catch (IOException failure) {
      throw unreadable(failure);
    }
  }

  /**
   * Reads what determines the plan of an ONNX file.
   *
   * @throws InferenceException INTERNAL if it cannot be read
   */
  ModelContent readContent() {
    try {
      return ModelContent.read(path);
    } catch (IOException failure) {
      throw unreadable(failure);
    }
  }

  private InferenceException unreadable(IOException failure) {
    return new InferenceException(
        StatusCode.INTERNAL,
        "cannot read '%s' of model '%s': %s".formatted(path, model, PlanCache.text(failure)),
        failure);
  }
}

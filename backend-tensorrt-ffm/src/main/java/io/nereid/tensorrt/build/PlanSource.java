package io.nereid.tensorrt.build;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.TypedOptions;
import io.nereid.tensorrt.engine.TensorRt;
import io.nereid.tensorrt.library.GpuSupport;

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
  private final OnnxPlans onnxPlans;

  PlanSource(OnnxPlans onnxPlans) {
    this.onnxPlans = onnxPlans;
  }

  /**
   * The plans of a backend. Options of it:
   *
   * <ul>
   *   <li>{@code plan-cache-directory}: where plans are kept that were built from ONNX files; by
   *       default {@code nereid/tensorrt} in the user's cache;
   *   <li>{@code plan-cache-size}: how many bytes of them are kept; 0, the default, for all.
   * </ul>
   *
   * @throws InferenceException INVALID_ARGUMENT if an option is invalid
   */
  public static PlanSource of(
      TypedOptions options, TensorRt tensorRt, GpuSupport.Available support) {
    return new PlanSource(OnnxPlans.of(options, tensorRt, support));
  }

  /**
   * Opens the plan of a model version for a device. It is, in this order:
   *
   * <ol>
   *   <li>the file of {@code cc_model_filenames} for the device's compute capability;
   *   <li>with the parameter {@code tensorrt_build_from_onnx}, built from the ONNX file that it
   *       names, or {@code default_model_filename} unless that is {@code model.plan}, or {@code
   *       model.onnx};
   *   <li>the file {@code default_model_filename}, or {@code model.plan}.
   * </ol>
   *
   * The first call for an ONNX file builds the plan, which takes seconds to hours; later ones find
   * it in the cache, as long as nothing that it was made from changes. A configuration that is
   * still to be completed leads to the same plan as the completed one if completion sets the
   * maximum batch size of the plan.
   *
   * @param gpu the device that is current on this thread
   * @throws InferenceException UNAVAILABLE if there is no file or builds are cancelled,
   *     INVALID_ARGUMENT if the configuration does not fit the ONNX file, INTERNAL if a file cannot
   *     be read or TensorRT fails
   */
  public Plan open(ModelFiles files, ModelConfig config, Gpu gpu) {
    ModelFile file = ModelFile.of(files, config, gpu);
    return file.build()
        .map(settings -> onnxPlans.open(file, config, settings, gpu))
        .orElseGet(file::readPlan);
  }

  /**
   * Cancels the builds that run or wait, and rejects later ones. A build ends at its next step, by
   * which {@link #open} fails; other plans can still be opened. Also closes what builds have kept
   * for the next one. Called by any thread when the server stops.
   */
  public void cancelBuilds() {
    onnxPlans.cancel();
  }
}

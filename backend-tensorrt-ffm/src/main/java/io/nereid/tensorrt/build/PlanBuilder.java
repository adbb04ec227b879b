package io.nereid.tensorrt.build;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tensorrt.build.BuildSettings.Precision;
import io.nereid.tensorrt.build.profile.Profile;
import io.nereid.tensorrt.builder.BuilderConfig;
import io.nereid.tensorrt.builder.BuilderFlag;
import io.nereid.tensorrt.builder.HostMemory;
import io.nereid.tensorrt.builder.Network;
import io.nereid.tensorrt.builder.NetworkBuilder;
import io.nereid.tensorrt.builder.OnnxParser;
import io.nereid.tensorrt.builder.OptimizationProfile;
import io.nereid.tensorrt.builder.OptimizationProfile.Bound;
import io.nereid.tensorrt.builder.ProgressMonitor;
import io.nereid.tensorrt.engine.TensorRt;
import io.nereid.tensorrt.engine.TensorRtException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/**
 * One build of a plan: the calls of TensorRT, in order. The thread that builds has the device
 * current.
 *
 * @param model name of the model, for messages
 */
record PlanBuilder(
    TensorRt tensorRt,
    String model,
    Path onnxFile,
    List<Profile> profiles,
    BuildSettings settings) {
  /** What TensorRT logs if it does not find a library with kernels of the GPU. */
  private static final String MISSING_FILE = "Unable to load library";

  /**
   * Requires that the loaded version of TensorRT has what the settings ask for.
   *
   * @throws InferenceException INVALID_ARGUMENT
   */
  void requireSupported() {
    for (Precision precision : settings.precisions()) {
      if (flag(precision).number(tensorRt.version()).isEmpty()) {
        throw invalid(
            ("parameter '%s' cannot be %s with TensorRT %s, whose networks are strongly typed;"
                    + " convert the ONNX file to that type instead")
                .formatted(BuildSettings.PRECISION, precision, tensorRt.version()));
      }
    }
    if (settings.stronglyTyped() && !settings.precisions().isEmpty()) {
      throw invalid(
          "parameter 'tensorrt_strongly_typed' keeps the types of the ONNX file, so '%s' cannot be %s"
              .formatted(BuildSettings.PRECISION, settings.precisions()));
    }
    boolean hasValues = tensorRt.version().isAtLeast(OptimizationProfile.SHAPE_VALUES_VERSION);
    for (Profile profile : profiles) {
      for (Profile.Range range : profile.inputs()) {
        if (range.ofValues() && !hasValues) {
          throw invalid(
              "the range of shape tensor '%s' needs TensorRT 10.11 or later, found %s"
                  .formatted(range.input(), tensorRt.version()));
        }
      }
    }
  }

  private static BuilderFlag flag(Precision precision) {
    return switch (precision) {
      case FP16 -> BuilderFlag.FP16;
      case BF16 -> BuilderFlag.BF16;
      case INT8 -> BuilderFlag.INT8;
    };
  }

  /**
   * Builds the plan.
   *
   * @param use of the device's builder, which is discarded if TensorRT fails
   * @return the plan, memory of {@code arena}
   * @throws InferenceException INVALID_ARGUMENT if the model or its profiles cannot be used,
   *     INTERNAL if TensorRT fails
   */
  MemorySegment build(SharedBuilders.Use use, BuildProgress progress, Arena arena) {
    try {
      return build(use.builder(), progress, arena);
    } catch (TensorRtException failure) {
      use.discard();
      throw failure(failure);
    }
  }

  private MemorySegment build(SharedBuilders.Builder shared, BuildProgress progress, Arena arena) {
    NetworkBuilder builder = shared.networks();
    try (var monitor = new ProgressMonitor(progress); // closed after what uses it
        Network network = builder.createNetwork(settings.stronglyTyped());
        OnnxParser parser = OnnxParser.create(tensorRt, network);
        BuilderConfig config = builder.createConfig()) {
      parse(parser);
      new NetworkCheck(model, settings).check(network.inputs(), profiles);
      configure(config);
      addProfiles(builder, config);
      if (settings.timingCache()) {
        shared.timings().attach(config);
      }
      config.setProgressMonitor(monitor);
      try (HostMemory plan = builder.build(network, config)) {
        if (settings.timingCache()) {
          shared.timings().save(config);
        }
        return arena.allocate(plan.bytes().byteSize(), Plan.ALIGNMENT).copyFrom(plan.bytes());
      } catch (TensorRtException failure) {
        monitor.failure().ifPresent(failure::addSuppressed);
        throw failure;
      }
    }
  }

  private void parse(OnnxParser parser) {
    List<String> errors = parser.parse(onnxFile);
    if (!errors.isEmpty()) {
      throw invalid(
          "TensorRT %s cannot use '%s': %s"
              .formatted(tensorRt.version(), onnxFile, String.join("; ", errors)));
    }
  }

  private void configure(BuilderConfig config) {
    if (settings.workspaceByteSize() > 0) {
      config.setWorkspaceLimit(settings.workspaceByteSize());
    }
    settings.optimizationLevel().ifPresent(config::setOptimizationLevel);
    for (Precision precision : settings.precisions()) {
      config.setFlag(flag(precision), true);
    }
    config.setFlag(BuilderFlag.TF32, settings.tf32());
  }

  private void addProfiles(NetworkBuilder builder, BuilderConfig config) {
    for (int i = 0; i < profiles.size(); i++) {
      OptimizationProfile profile = builder.createProfile();
      for (Profile.Range range : profiles.get(i).inputs()) {
        set(profile, range, Bound.MIN, range.min());
        set(profile, range, Bound.OPT, range.opt());
        set(profile, range, Bound.MAX, range.max());
      }
      if (!profile.isValid()) {
        throw invalid(
            "TensorRT %s refuses profile %d: %s"
                .formatted(tensorRt.version(), i, profiles.get(i).inputs()));
      }
      int index = config.addProfile(profile);
      if (index != i) {
        throw new IllegalStateException("profile %d has index %d".formatted(i, index));
      }
    }
  }

  private static void set(
      OptimizationProfile profile, Profile.Range range, Bound bound, List<Long> numbers) {
    if (range.ofValues()) {
      profile.setValues(range.input(), bound, numbers);
    } else {
      profile.setDimensions(range.input(), bound, numbers);
    }
  }

  private InferenceException failure(TensorRtException failure) {
    String cure =
        failure.getMessage().contains(MISSING_FILE)
            ? ("; builds need the files libnvinfer_builder_resource* of TensorRT %s where the system's"
                    + " loader finds them: name their folder in LD_LIBRARY_PATH or to ldconfig")
                .formatted(tensorRt.version())
            : "";
    return new InferenceException(
        StatusCode.INTERNAL,
        "failed to build a plan of model '%s' from '%s': %s%s"
            .formatted(model, onnxFile, failure.getMessage(), cure),
        failure);
  }

  private InferenceException invalid(String message) {
    return InferenceException.invalid("model '%s': %s".formatted(model, message));
  }
}

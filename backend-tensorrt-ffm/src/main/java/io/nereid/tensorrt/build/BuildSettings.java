package io.nereid.tensorrt.build;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.tensorrt.build.profile.ProfileParameter;
import io.nereid.tensorrt.build.profile.StatedRange;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;

/**
 * The {@code parameters} of a model whose plan is built from ONNX:
 *
 * <ul>
 *   <li>{@code tensorrt_build_from_onnx}: {@code true}, or the name of the ONNX file;
 *   <li>{@code tensorrt_profile}, or {@code tensorrt_profile_0}, {@code tensorrt_profile_1} and so
 *       on: the ranges of inputs in an optimisation profile, such as {@code
 *       ids:*x16/*x64/*x128,mask:*x16/*x64/*x128} (see {@link StatedRange});
 *   <li>{@code precision_mode}: {@code FP32}, {@code FP16}, {@code BF16}, {@code INT8}, or some of
 *       them separated by commas; only TensorRT 10 has more than FP32;
 *   <li>{@code tensorrt_strongly_typed}: whether the types of the ONNX file are kept, as TensorRT
 *       11 always does;
 *   <li>{@code use_tf32}: on by default;
 *   <li>{@code max_workspace_size_bytes}: 0 for all of the device's memory;
 *   <li>{@code trt_builder_optimization_level}: 0 to 5, 3 by default;
 *   <li>{@code trt_timing_cache_enable}: on by default.
 * </ul>
 *
 * Names that Triton or ONNX Runtime define for TensorRT have their meaning.
 *
 * @param file name in the version directory; empty for the default
 * @param precisions in addition to FP32
 * @param workspaceByteSize 0 for all of the device's memory
 * @param optimizationLevel empty for TensorRT's default
 * @param profiles empty for one profile without ranges
 */
record BuildSettings(
    String file,
    Set<Precision> precisions,
    boolean stronglyTyped,
    boolean tf32,
    long workspaceByteSize,
    OptionalInt optimizationLevel,
    boolean timingCache,
    List<ProfileParameter> profiles) {
  static final String BUILD = "tensorrt_build_from_onnx";
  static final String PRECISION = "precision_mode";

  private static final int MAX_LEVEL = 5;

  /** Types that TensorRT 10 may compute in where the model has FP32. */
  enum Precision {
    FP16,
    BF16,
    INT8
  }

  BuildSettings {
    Set<Precision> ordered = EnumSet.noneOf(Precision.class);
    ordered.addAll(precisions);
    precisions = Collections.unmodifiableSet(ordered);
    profiles = List.copyOf(profiles);
  }

  /**
   * The settings of a model; empty if its plan is not to be built.
   *
   * @throws InferenceException INVALID_ARGUMENT; the message names the model and the parameter
   */
  static Optional<BuildSettings> of(ModelConfig config) {
    String build = config.parameters().getOrDefault(BUILD, "");
    if (build.isEmpty() || build.equals("false") || build.equals("0")) {
      return Optional.empty();
    }
    var reader = new Reader(config.name(), config.parameters());
    boolean named = !build.equals("true") && !build.equals("1");
    return Optional.of(
        new BuildSettings(
            named ? build : "",
            reader.precisions(),
            reader.flag("tensorrt_strongly_typed", false),
            reader.flag("use_tf32", true),
            reader.workspace(),
            reader.level(),
            reader.flag("trt_timing_cache_enable", true),
            ProfileParameter.all(config.name(), config.parameters())));
  }

  private record Reader(String model, Map<String, String> parameters) {
    Set<Precision> precisions() {
      Set<Precision> precisions = EnumSet.noneOf(Precision.class);
      for (String name : parameters.getOrDefault(PRECISION, "FP32").split(",", -1)) {
        switch (name.strip()) {
          case "FP32" -> {}
          case "FP16" -> precisions.add(Precision.FP16);
          case "BF16" -> precisions.add(Precision.BF16);
          case "INT8" -> precisions.add(Precision.INT8);
          default ->
              throw invalid("unsupported precision mode '%s' is requested".formatted(name.strip()));
        }
      }
      return precisions;
    }

    boolean flag(String key, boolean otherwise) {
      return switch (parameters.getOrDefault(key, "")) {
        case "" -> otherwise;
        case "1", "true" -> true;
        case "0", "false" -> false;
        default ->
            throw invalid(
                "parameter '%s' must be 0 or 1, false or true, got '%s'"
                    .formatted(key, parameters.get(key)));
      };
    }

    long workspace() {
      return number("max_workspace_size_bytes", 0L, Long.MAX_VALUE, Long::parseLong).orElse(0L);
    }

    OptionalInt level() {
      Optional<Integer> level =
          number("trt_builder_optimization_level", 0, MAX_LEVEL, Integer::parseInt);
      return level.map(OptionalInt::of).orElseGet(OptionalInt::empty);
    }

    private <N extends Comparable<N>> Optional<N> number(
        String key, N least, N most, Function<String, N> parse) {
      String value = parameters.get(key);
      if (value == null) {
        return Optional.empty();
      }
      var invalid =
          invalid(
              "parameter '%s' must be a number from %s to %s, got '%s'"
                  .formatted(key, least, most, value));
      try {
        N number = parse.apply(value);
        if (number.compareTo(least) >= 0 && number.compareTo(most) <= 0) {
          return Optional.of(number);
        }
        throw invalid;
      } catch (NumberFormatException notANumber) {
        throw invalid;
      }
    }

    private InferenceException invalid(String message) {
      return InferenceException.invalid("model '%s': %s".formatted(model, message));
    }
  }
}

package io.nereid.onnx;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.onnx.ort.OrtSessionOptions;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The settings of a model's sessions, from {@code optimization.graph.level} and the {@code
 * parameters} that Triton's ONNX Runtime backend defines.
 *
 * @param intraOpThreads 0 for ONNX Runtime's default
 * @param interOpThreads 0 for ONNX Runtime's default
 * @param sessionEntries the parameters whose names begin with {@code session.}, and defaults
 * @param arenaShrinkage {@code memory.enable_memory_arena_shrinkage}, such as {@code cpu:0}
 */
record OnnxParameters(
    OrtSessionOptions.Optimization optimization,
    int intraOpThreads,
    int interOpThreads,
    boolean parallelExecution,
    Optional<Boolean> memoryArena,
    Optional<Boolean> memoryPattern,
    Map<String, String> sessionEntries,
    Optional<String> arenaShrinkage) {
  static final String ARENA_SHRINKAGE = "memory.enable_memory_arena_shrinkage";

  /** The most threads of a session: they are started when it is opened. */
  private static final int MAX_THREADS = 1024;

  /**
   * How long the threads of a session's pool wait for their next task before they sleep, unless the
   * model states it. By default they spin a million times, when the pool is created and after each
   * run: 28 ms of CPU time of every thread, measured on an AMD EPYC.
   */
  private static final Map<String, String> SPIN_MICROS =
      Map.of(
          "session.intra_op.spin_duration_us", "1000",
          "session.inter_op.spin_duration_us", "1000");

  /**
   * @throws InferenceException INVALID_ARGUMENT; the message names the model and the parameter
   */
  static OnnxParameters of(ModelConfig config) {
    var reader = new Reader(config.name(), config.parameters());
    var entries = new TreeMap<>(SPIN_MICROS);
    entries.putAll(config.parameters());
    entries.keySet().removeIf(key -> !key.startsWith("session."));
    return new OnnxParameters(
        optimization(config),
        reader.count("intra_op_thread_count"),
        reader.count("inter_op_thread_count"),
        reader.parallel(),
        reader.flag("enable_mem_arena"),
        reader.flag("enable_mem_pattern"),
        Map.copyOf(entries),
        Optional.ofNullable(config.parameters().get(ARENA_SHRINKAGE)));
  }

  void applyTo(OrtSessionOptions options) {
    options.optimization(optimization);
    options.threads(intraOpThreads, interOpThreads);
    options.parallelExecution(parallelExecution);
    memoryArena.ifPresent(options::memoryArena);
    memoryPattern.ifPresent(options::memoryPattern);
    sessionEntries.forEach(options::entry);
  }

  /** What {@code optimization.graph.level} says. */
  static OrtSessionOptions.Optimization optimization(ModelConfig config) {
    return switch (config.optimization().graphLevel()) {
      case -1 -> OrtSessionOptions.Optimization.BASIC;
      case 1 -> OrtSessionOptions.Optimization.EXTENDED;
      case 2 -> OrtSessionOptions.Optimization.NONE;
      default -> OrtSessionOptions.Optimization.ALL;
    };
  }

  /**
   * Parses a boolean setting: {@code 1} or {@code true}, {@code 0} or {@code false}.
   *
   * @throws InferenceException INVALID_ARGUMENT for any other value
   */
  static boolean isTrue(String name, String value) {
    return switch (value) {
      case "1", "true" -> true;
      case "0", "false" -> false;
      default ->
          throw InferenceException.invalid(
              "'%s' must be 0 or 1, false or true, got '%s'".formatted(name, value));
    };
  }

  private record Reader(String model, Map<String, String> parameters) {
    int integer(String key) {
      String value = parameters.getOrDefault(key, "0");
      try {
        return Integer.parseInt(value);
      } catch (NumberFormatException notANumber) {
        throw invalid("parameter '%s' must be an integer, got '%s'".formatted(key, value));
      }
    }

    int count(String key) {
      int value = integer(key);
      if (value < 0) {
        throw invalid("parameter '%s' must be at least 0, got '%d'".formatted(key, value));
      }
      if (value > MAX_THREADS) {
        throw invalid(
            "parameter '%s' must be at most %d, got '%d'".formatted(key, MAX_THREADS, value));
      }
      return value;
    }

    boolean parallel() {
      int mode = integer("execution_mode");
      if (mode != 0 && mode != 1) {
        throw invalid("parameter 'execution_mode' must be 0 or 1, got '%d'".formatted(mode));
      }
      return mode == 1;
    }

    Optional<Boolean> flag(String key) {
      try {
        return Optional.ofNullable(parameters.get(key)).map(value -> isTrue(key, value));
      } catch (InferenceException wrong) {
        throw invalid("parameter " + wrong.getMessage());
      }
    }

    private InferenceException invalid(String message) {
      return InferenceException.invalid("model '%s': %s".formatted(model, message));
    }
  }
}

package io.nereid.onnx.ort;

import static java.lang.foreign.ValueLayout.ADDRESS;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The options with which a session is opened. Not thread-safe. */
public final class OrtSessionOptions implements AutoCloseable {
  /** {@code GraphOptimizationLevel}. */
  public enum Optimization {
    NONE(0),
    BASIC(1),
    EXTENDED(2),
    ALL(99);

    private final int level;

    Optimization(int level) {
      this.level = level;
    }
  }

  private final OrtApi api;
  private final OrtHandle options;
  private final boolean sharedThreads;

  OrtSessionOptions(OrtApi api, boolean sharedThreads) {
    this.api = api;
    this.sharedThreads = sharedThreads;
    this.options =
        new OrtHandle(
            api, OrtHandle.Kind.SESSION_OPTIONS, api.create(OrtApi.CREATE_SESSION_OPTIONS));
    if (sharedThreads) {
      api.call(OrtApi.DISABLE_PER_SESSION_THREADS, address());
    }
  }

  /** Has the session log what the process's log shows now, under a name. */
  public void log(String name) {
    try (var arena = Arena.ofConfined()) {
      api.call(OrtApi.SET_SESSION_LOG_ID, address(), arena.allocateFrom(name).address());
    }
    api.call(OrtApi.SET_SESSION_LOG_SEVERITY_LEVEL, address(), OrtLog.severity());
  }

  /** Has the opening of the session fail, as soon as ONNX Runtime looks. From any thread. */
  void cancelLoad() {
    api.call(OrtApi.SESSION_OPTIONS_SET_LOAD_CANCELLATION_FLAG, address(), 1);
  }

  /** Has the session log nothing; what fails is said by exceptions. */
  public void silent() {
    api.call(OrtApi.SET_SESSION_LOG_SEVERITY_LEVEL, address(), OrtLog.FATAL);
  }

  public void optimization(Optimization optimization) {
    api.call(OrtApi.SET_SESSION_GRAPH_OPTIMIZATION_LEVEL, address(), optimization.level);
  }

  /** Whether independent operators of the graph may run concurrently. */
  public void parallelExecution(boolean parallel) {
    api.call(OrtApi.SET_SESSION_EXECUTION_MODE, address(), parallel ? 1 : 0);
  }

  /**
   * Sets the number of threads within and across operators; 0 for ONNX Runtime's default. Ignored
   * if the sessions of the environment share threads.
   */
  public void threads(int intraOp, int interOp) {
    if (!sharedThreads && intraOp > 0) {
      api.call(OrtApi.SET_INTRA_OP_NUM_THREADS, address(), intraOp);
    }
    if (!sharedThreads && interOp > 0) {
      api.call(OrtApi.SET_INTER_OP_NUM_THREADS, address(), interOp);
    }
  }

  public void memoryArena(boolean enabled) {
    api.call(enabled ? OrtApi.ENABLE_CPU_MEM_ARENA : OrtApi.DISABLE_CPU_MEM_ARENA, address());
  }

  public void memoryPattern(boolean enabled) {
    api.call(enabled ? OrtApi.ENABLE_MEM_PATTERN : OrtApi.DISABLE_MEM_PATTERN, address());
  }

  /** Sets an entry of {@code onnxruntime_session_options_config_keys.h}. */
  public void entry(String key, String value) {
    try (var arena = Arena.ofConfined()) {
      api.call(
          OrtApi.ADD_SESSION_CONFIG_ENTRY,
          address(),
          arena.allocateFrom(key).address(),
          arena.allocateFrom(value).address());
    }
  }

  /** Loads a library of custom operators. */
  public void customOperators(Path library) {
    try (var arena = Arena.ofConfined()) {
      api.call(
          OrtApi.REGISTER_CUSTOM_OPS_LIBRARY_V2,
          address(),
          OrtApi.path(arena, library.toString()).address());
    }
  }

  /** Adds CUDA for operators that no earlier provider supports. */
  public void appendCuda(Map<String, String> settings) {
    append(
        OrtHandle.Kind.CUDA_OPTIONS,
        OrtApi.CREATE_CUDA_OPTIONS,
        OrtApi.UPDATE_CUDA_OPTIONS,
        OrtApi.APPEND_CUDA_V2,
        settings);
  }

  /** Adds TensorRT for operators that no earlier provider supports. */
  public void appendTensorRt(Map<String, String> settings) {
    append(
        OrtHandle.Kind.TENSORRT_OPTIONS,
        OrtApi.CREATE_TENSORRT_OPTIONS,
        OrtApi.UPDATE_TENSORRT_OPTIONS,
        OrtApi.APPEND_TENSORRT_V2,
        settings);
  }

  /** Adds OpenVINO for operators that no earlier provider supports. */
  public void appendOpenVino(Map<String, String> settings) {
    try (var arena = Arena.ofConfined()) {
      Pairs pairs = Pairs.of(arena, settings);
      api.call(OrtApi.APPEND_OPENVINO_V2, address(), pairs.keys(), pairs.values(), pairs.count());
    }
  }

  private void append(
      OrtHandle.Kind kind, int create, int update, int append, Map<String, String> settings) {
    try (var arena = Arena.ofConfined();
        var provider = new OrtHandle(api, kind, api.create(create))) {
      Pairs pairs = Pairs.of(arena, settings);
      api.call(update, provider.address(), pairs.keys(), pairs.values(), pairs.count());
      api.call(append, address(), provider.address());
    }
  }

  long address() {
    return options.address();
  }

  @Override
  public void close() {
    options.close();
  }

  /** Settings as two arrays of C strings. */
  private record Pairs(long keys, long values, int count) {
    static Pairs of(Arena arena, Map<String, String> settings) {
      var keys = List.copyOf(settings.keySet());
      MemorySegment names = arena.allocate(ADDRESS, Math.max(1, keys.size()));
      MemorySegment values = arena.allocate(ADDRESS, Math.max(1, keys.size()));
      for (int i = 0; i < keys.size(); i++) {
        String key = keys.get(i);
        names.setAtIndex(ADDRESS, i, arena.allocateFrom(key));
        values.setAtIndex(ADDRESS, i, arena.allocateFrom(settings.getOrDefault(key, "")));
      }
      return new Pairs(names.address(), values.address(), keys.size());
    }
  }
}

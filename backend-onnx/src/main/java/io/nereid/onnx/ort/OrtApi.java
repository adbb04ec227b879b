package io.nereid.onnx.ort;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * ONNX Runtime's table of C functions ({@code struct OrtApi} of {@code onnxruntime_c_api.h}): the
 * positions of the functions in use, and methods to call them. Every returned status is checked and
 * released. Usable from any thread.
 *
 * <p>New versions of the library only append to the table, so a position is valid for all later
 * versions; {@link #VERSION} is the first version with all of them. Because functions cannot be
 * looked up by name, {@link #open} verifies the layout with {@link OrtSelfCheck}.
 */
final class OrtApi {
  /** The {@code ORT_API_VERSION} to request: version 1.24 added the last function in use. */
  static final int VERSION = 24;

  static final int CREATE_STATUS = 0;
  static final int GET_ERROR_CODE = 1;
  static final int GET_ERROR_MESSAGE = 2;
  static final int CREATE_ENV_WITH_CUSTOM_LOGGER = 4;
  static final int CREATE_SESSION = 7;
  static final int RUN = 9;
  static final int CREATE_SESSION_OPTIONS = 10;
  static final int SET_SESSION_EXECUTION_MODE = 13;
  static final int ENABLE_MEM_PATTERN = 16;
  static final int DISABLE_MEM_PATTERN = 17;
  static final int ENABLE_CPU_MEM_ARENA = 18;
  static final int DISABLE_CPU_MEM_ARENA = 19;
  static final int SET_SESSION_LOG_ID = 20;
  static final int SET_SESSION_LOG_SEVERITY_LEVEL = 22;
  static final int SET_SESSION_GRAPH_OPTIMIZATION_LEVEL = 23;
  static final int SET_INTRA_OP_NUM_THREADS = 24;
  static final int SET_INTER_OP_NUM_THREADS = 25;
  static final int SESSION_GET_INPUT_COUNT = 30;
  static final int SESSION_GET_OUTPUT_COUNT = 31;
  static final int SESSION_GET_OVERRIDABLE_INITIALIZER_COUNT = 32;
  static final int SESSION_GET_INPUT_TYPE_INFO = 33;
  static final int SESSION_GET_OUTPUT_TYPE_INFO = 34;
  static final int SESSION_GET_OVERRIDABLE_INITIALIZER_TYPE_INFO = 35;
  static final int SESSION_GET_INPUT_NAME = 36;
  static final int SESSION_GET_OUTPUT_NAME = 37;
  static final int SESSION_GET_OVERRIDABLE_INITIALIZER_NAME = 38;
  static final int CREATE_RUN_OPTIONS = 39;
  static final int RUN_OPTIONS_SET_RUN_LOG_SEVERITY_LEVEL = 41;
  static final int RUN_OPTIONS_SET_TERMINATE = 46;
  static final int RUN_OPTIONS_UNSET_TERMINATE = 47;
  static final int CREATE_TENSOR = 48;
  static final int CREATE_TENSOR_WITH_DATA = 49;
  static final int GET_TENSOR_MUTABLE_DATA = 51;
  static final int GET_STRING_TENSOR_DATA_LENGTH = 53;
  static final int GET_STRING_TENSOR_CONTENT = 54;
  static final int CAST_TYPE_INFO_TO_TENSOR_INFO = 55;
  static final int GET_ONNX_TYPE_FROM_TYPE_INFO = 56;
  static final int GET_TENSOR_ELEMENT_TYPE = 60;
  static final int GET_DIMENSIONS_COUNT = 61;
  static final int GET_DIMENSIONS = 62;
  static final int GET_SYMBOLIC_DIMENSIONS = 63;
  static final int CREATE_CPU_MEMORY_INFO = 69;
  static final int ALLOCATOR_FREE = 76;
  static final int GET_ALLOCATOR_WITH_DEFAULT_OPTIONS = 78;
  static final int RELEASE_ENV = 92;
  static final int RELEASE_STATUS = 93;
  static final int RELEASE_MEMORY_INFO = 94;
  static final int RELEASE_SESSION = 95;
  static final int RELEASE_VALUE = 96;
  static final int RELEASE_RUN_OPTIONS = 97;
  static final int RELEASE_TYPE_INFO = 98;
  static final int RELEASE_SESSION_OPTIONS = 100;
  static final int DISABLE_PER_SESSION_THREADS = 120;
  static final int CREATE_THREADING_OPTIONS = 121;
  static final int RELEASE_THREADING_OPTIONS = 122;
  static final int GET_AVAILABLE_PROVIDERS = 125;
  static final int RELEASE_AVAILABLE_PROVIDERS = 126;
  static final int ADD_SESSION_CONFIG_ENTRY = 130;
  static final int SET_GLOBAL_INTRA_OP_NUM_THREADS = 147;
  static final int SET_GLOBAL_INTER_OP_NUM_THREADS = 148;
  static final int CREATE_ENV_WITH_CUSTOM_LOGGER_AND_GLOBAL_THREAD_POOLS = 151;
  static final int ADD_RUN_CONFIG_ENTRY = 165;
  static final int APPEND_TENSORRT_V2 = 170;
  static final int CREATE_TENSORRT_OPTIONS = 171;
  static final int UPDATE_TENSORRT_OPTIONS = 172;
  static final int RELEASE_TENSORRT_OPTIONS = 174;
  static final int APPEND_CUDA_V2 = 204;
  static final int CREATE_CUDA_OPTIONS = 205;
  static final int UPDATE_CUDA_OPTIONS = 206;
  static final int RELEASE_CUDA_OPTIONS = 208;
  static final int REGISTER_CUSTOM_OPS_LIBRARY_V2 = 228;
  static final int GET_RESIZED_STRING_TENSOR_ELEMENT_BUFFER = 252;
  static final int APPEND_OPENVINO_V2 = 275;
  static final int SESSION_OPTIONS_SET_LOAD_CANCELLATION_FLAG = 293;
  static final int GET_TENSOR_SIZE_IN_BYTES = 318;
  static final int TENSOR_TYPE_AND_SHAPE_HAS_SHAPE = 390;
  static final int GET_TENSOR_ELEMENT_TYPE_AND_SHAPE_DATA_REFERENCE = 414;

  private static final int ENTRIES = 415;

  private final MemorySegment table;
  private final String libraryVersion;
  private final Path file;
  private final MemorySegment run;
  private final MemorySegment createTensorWithData;
  private final MemorySegment releaseValue;

  private OrtApi(MemorySegment table, String libraryVersion, Path file) {
    this.table = table;
    this.libraryVersion = libraryVersion;
    this.file = file;
    this.run = function(RUN);
    this.createTensorWithData = function(CREATE_TENSOR_WITH_DATA);
    this.releaseValue = function(RELEASE_VALUE);
  }

  /**
   * The function table of a loaded library.
   *
   * @param library must stay loaded until the process ends
   * @param file where it is
   * @throws IllegalArgumentException if it is not ONNX Runtime, or not a supported version
   */
  static OrtApi open(SymbolLookup library, Path file) {
    MemorySegment getBase =
        library
            .find("OrtGetApiBase")
            .orElseThrow(() -> new IllegalArgumentException("it has no OrtGetApiBase"));
    // struct OrtApiBase { const OrtApi* (*GetApi)(uint32_t); const char* (*GetVersionString)(); }
    MemorySegment base =
        MemorySegment.ofAddress(Downcalls.call(getBase)).reinterpret(2 * ADDRESS.byteSize());
    String version = text(Downcalls.call(base.getAtIndex(ADDRESS, 1)));
    long table = Downcalls.call(base.getAtIndex(ADDRESS, 0), VERSION);
    if (table == 0) {
      throw new IllegalArgumentException(
          "it is ONNX Runtime %s, at least 1.%d is needed".formatted(version, VERSION));
    }
    // struct OrtApi consists of pointers and has all functions of the requested version.
    MemorySegment entries =
        MemorySegment.ofAddress(table).reinterpret(ENTRIES * ADDRESS.byteSize());
    var api = new OrtApi(entries, version, file);
    OrtSelfCheck.run(api);
    return api;
  }

  /** The library's own version, such as {@code 1.29.0}. */
  String libraryVersion() {
    return libraryVersion;
  }

  /** The library's file. */
  Path file() {
    return file;
  }

  // The calls on the request path. They allocate nothing on the Java heap.

  /** {@code OrtApi::Run}. Names and values are addresses of arrays of pointers. */
  void run(
      long session,
      long options,
      long inputNames,
      long inputs,
      long inputCount,
      long outputNames,
      long outputCount,
      long outputs) {
    check(
        Downcalls.call(
            run,
            session,
            options,
            inputNames,
            inputs,
            inputCount,
            outputNames,
            outputCount,
            outputs));
  }

  /** {@code OrtApi::CreateTensorWithDataAsOrtValue}: a tensor in memory of the caller. */
  void createTensor(
      long memoryInfo, long data, long byteSize, long dims, long rank, int type, long out) {
    check(Downcalls.call(createTensorWithData, memoryInfo, data, byteSize, dims, rank, type, out));
  }

  void release(int entry, long object) {
    Downcalls.call(entry == RELEASE_VALUE ? releaseValue : function(entry), object);
  }

  // All other calls. They are made while loading, or for strings, whose copies cost more.

  /** Calls a function that returns a status. */
  void call(int entry, long... words) {
    check(invoke(function(entry), words));
  }

  /** Calls a function that returns a C {@code bool}, which is the lowest byte of a word. */
  boolean is(int entry, long object) {
    return (byte) Downcalls.call(function(entry), object) != 0;
  }

  /** Calls a function that returns a status and stores a word at its last parameter. */
  long create(int entry, long... words) {
    try (var arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_LONG); // zeroed: some functions store an int
      long[] all = Arrays.copyOf(words, words.length + 1);
      all[words.length] = out.address();
      check(invoke(function(entry), all));
      return out.get(JAVA_LONG, 0);
    }
  }

  /** The names of the execution providers that the library was built with. */
  List<String> availableProviders() {
    try (var arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ADDRESS);
      MemorySegment count = arena.allocate(JAVA_INT);
      call(GET_AVAILABLE_PROVIDERS, out.address(), count.address());
      int length = count.get(JAVA_INT, 0);
      MemorySegment names = out.get(ADDRESS, 0).reinterpret(length * ADDRESS.byteSize());
      var providers = new ArrayList<String>(length);
      for (int i = 0; i < length; i++) {
        providers.add(text(names.getAtIndex(ADDRESS, i).address()));
      }
      call(RELEASE_AVAILABLE_PROVIDERS, names.address(), length);
      return providers;
    }
  }

  /** Copies a NUL-terminated string of the library. */
  static String text(long address) {
    // onnxruntime_c_api.h: strings are NUL-terminated UTF-8; their length is unknown.
    return MemorySegment.ofAddress(address).reinterpret(Long.MAX_VALUE).getString(0);
  }

  /** A path as {@code ORTCHAR_T*}: UTF-16 on Windows, the file system's bytes elsewhere. */
  static MemorySegment path(Arena arena, String path) {
    boolean windows =
        System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("windows");
    return arena.allocateFrom(path, windows ? StandardCharsets.UTF_16LE : StandardCharsets.UTF_8);
  }

  private MemorySegment function(int entry) {
    return table.getAtIndex(ADDRESS, entry);
  }

  private static long invoke(MemorySegment function, long... w) {
    return switch (w.length) {
      case 1 -> Downcalls.call(function, w[0]);
      case 2 -> Downcalls.call(function, w[0], w[1]);
      case 3 -> Downcalls.call(function, w[0], w[1], w[2]);
      case 4 -> Downcalls.call(function, w[0], w[1], w[2], w[3]);
      case 5 -> Downcalls.call(function, w[0], w[1], w[2], w[3], w[4]);
      case 6 -> Downcalls.call(function, w[0], w[1], w[2], w[3], w[4], w[5]);
      default -> throw new IllegalArgumentException(w.length + " parameters");
    };
  }

  private void check(long status) {
    if (status != 0) {
      throw failure(status);
    }
  }

  /** The exception for a status, which it releases. */
  private OrtException failure(long status) {
    int code = (int) Downcalls.call(function(GET_ERROR_CODE), status);
    String message = text(Downcalls.call(function(GET_ERROR_MESSAGE), status));
    release(RELEASE_STATUS, status);
    return new OrtException(code, message);
  }

  /** Creates a status with ONNX Runtime and reads it back, for {@link OrtSelfCheck}. */
  OrtException createStatus(int code, String message) {
    try (var arena = Arena.ofConfined()) {
      long text = arena.allocateFrom(message).address();
      return failure(Downcalls.call(function(CREATE_STATUS), code, text));
    }
  }
}

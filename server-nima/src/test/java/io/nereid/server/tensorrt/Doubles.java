package io.nereid.server.tensorrt;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nereid.server.support.NativeFolder;
import io.nereid.tensorrt.cuda.CudaDevice;
import io.nereid.tensorrt.library.LibraryLookup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;

/**
 * The C doubles of libcudart and libnvinfer, compiled and loaded. They lie in the tests of the
 * module backend-tensorrt-ffm, and say what they check.
 */
public final class Doubles {
  private static final Path SOURCES = Path.of("../backend-tensorrt-ffm/src/test/native");
  private static final Path HEADERS = Path.of("../backend-tensorrt-ffm/src/main/native-headers");

  private static final Duration FREED_WITHIN = Duration.ofSeconds(5);

  private final Path cudart;
  private final Path nvinfer;
  private final SymbolLookup cuda;
  private final SymbolLookup tensorRt;

  private Doubles(Path directory) {
    try {
      Files.createDirectories(directory);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    cudart = compile(directory.resolve("libcudart.so.13"), "cudart_double.c");
    nvinfer = compile(directory.resolve("libnvinfer.so.10"), "nvinfer_double.c", cudart);
    cuda = SymbolLookup.libraryLookup(cudart, Arena.global());
    tensorRt = SymbolLookup.libraryLookup(nvinfer, Arena.global());
  }

  private static final class Holder {
    static final Doubles COMPILED = new Doubles(NativeFolder.PATH);
  }

  /** The doubles, compiled at the first call; skips the test where there is no C compiler. */
  public static Doubles compiled() {
    assumeTrue(haveCompiler(), "there is no C compiler 'cc' for the doubles of CUDA and TensorRT");
    return Holder.COMPILED;
  }

  private static Path compile(Path library, String source, Path... libraries) {
    List<String> command =
        new ArrayList<>(List.of("cc", "-O1", "-g", "-shared", "-fPIC", "-o", library.toString()));
    command.addAll(List.of("-I", HEADERS.toString(), "-I", SOURCES.toString()));
    command.add(SOURCES.resolve(source).toString());
    for (Path each : libraries) {
      command.add(each.toString());
    }
    Output output = run(command);
    if (output.exit != 0) {
      throw new AssertionError(output.text);
    }
    return library;
  }

  private static boolean haveCompiler() {
    try {
      return run(List.of("cc", "--version")).exit == 0;
    } catch (UncheckedIOException missing) {
      return false;
    }
  }

  private record Output(int exit, String text) {}

  private static Output run(List<String> command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return new Output(process.waitFor(), text);
    } catch (IOException missing) {
      throw new UncheckedIOException(missing);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      throw new AssertionError(stop);
    }
  }

  /** Binds CUDA to its double before a backend does, for a test that is a client with a GPU. */
  public void bindCuda() {
    LibraryLookup.bind("cudart", cuda);
  }

  /** The options of the backend that make it use the doubles. */
  public Map<String, String> options() {
    return Map.of("cudart", cudart.toString(), "nvinfer", nvinfer.toString());
  }

  /**
   * Ends faults and errors of devices, and forgets violations and calls, as a new process does.
   *
   * @param version of TensorRT, such as 101501
   */
  public void begin(int version) {
    call(cuda, "double_reset", FunctionDescriptor.ofVoid());
    call(tensorRt, "double_set_version", FunctionDescriptor.ofVoid(JAVA_INT), version);
    try {
      Method forget = CudaDevice.class.getDeclaredMethod("forgetAll");
      forget.setAccessible(true);
      forget.invoke(null);
    } catch (ReflectiveOperationException missing) {
      throw new LinkageError("forgetAll of CudaDevice", missing);
    }
  }

  /**
   * Lets a function fail.
   *
   * @param function of CUDA or TensorRT, or {@code operation} for work on a stream
   * @param skip how many calls succeed before
   * @param code a {@code cudaError_t}; any but 0 for a function of TensorRT
   */
  public void fail(String function, long skip, int code) {
    try (var arena = Arena.ofConfined()) {
      call(
          cuda,
          "double_fail",
          FunctionDescriptor.ofVoid(ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_INT),
          arena.allocateFrom(function),
          skip,
          1L,
          code);
    }
  }

  /** Lets calls of all functions fail at random. */
  void failAtRandom(long perMillion, int code, long seed) {
    try (var arena = Arena.ofConfined()) {
      call(
          cuda,
          "double_fail_at_random",
          FunctionDescriptor.ofVoid(ADDRESS, JAVA_LONG, JAVA_INT, JAVA_LONG),
          arena.allocateFrom("*"),
          perMillion,
          code,
          seed);
    }
  }

  public void clearFaults() {
    call(cuda, "double_clear_faults", FunctionDescriptor.ofVoid());
  }

  /** How often each function was called since the last reset. */
  Map<String, Long> calls() {
    Map<String, Long> calls = new TreeMap<>();
    for (int i = 0; ; i++) {
      MemorySegment name =
          (MemorySegment) call(cuda, "double_called", FunctionDescriptor.of(ADDRESS, JAVA_INT), i);
      if (name.equals(MemorySegment.NULL)) {
        return calls;
      }
      long count =
          (long) call(cuda, "double_calls", FunctionDescriptor.of(JAVA_LONG, ADDRESS), name);
      if (count > 0) {
        calls.put(text(name), count);
      }
    }
  }

  /** The kinds of objects that are live, with their numbers. */
  public Map<String, Long> live() {
    Map<String, Long> live = new TreeMap<>();
    int kinds = (int) call(cuda, "double_counters", FunctionDescriptor.of(JAVA_INT));
    for (int i = 0; i < kinds; i++) {
      long count =
          (long) call(cuda, "double_counter_live", FunctionDescriptor.of(JAVA_LONG, JAVA_INT), i);
      if (count != 0) {
        live.put(
            text(
                (MemorySegment)
                    call(cuda, "double_counter_kind", FunctionDescriptor.of(ADDRESS, JAVA_INT), i)),
            count);
      }
    }
    return live;
  }

  /**
   * The kinds of objects that are left behind a server that is closed. The server waits for a free
   * of host memory for a short time only: on a busy machine it may end behind the close.
   */
  public Map<String, Long> left() {
    long end = System.nanoTime() + FREED_WITHIN.toNanos();
    Map<String, Long> left = live();
    while (!left.isEmpty() && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(1_000_000);
      left = live();
    }
    return left;
  }

  /** What the backend did wrong: each violation that was kept. */
  public SortedSet<String> violations() {
    call(cuda, "double_check_memory", FunctionDescriptor.ofVoid());
    var violations = new TreeSet<String>();
    long count = (long) call(cuda, "double_violations", FunctionDescriptor.of(JAVA_LONG));
    for (long i = 0; i < count; i++) {
      MemorySegment text =
          (MemorySegment)
              call(cuda, "double_violation_text", FunctionDescriptor.of(ADDRESS, JAVA_LONG), i);
      violations.add(text.equals(MemorySegment.NULL) ? "and more" : text(text));
    }
    return violations;
  }

  /** Forgets the objects that are live. */
  public void forgetObjects() {
    call(cuda, "double_forget_objects", FunctionDescriptor.ofVoid());
  }

  private static String text(MemorySegment text) {
    return text.reinterpret(Long.MAX_VALUE).getString(0); // a string that ends with a zero byte
  }

  private static Object call(
      SymbolLookup library, String function, FunctionDescriptor type, Object... arguments) {
    MethodHandle handle = Linker.nativeLinker().downcallHandle(library.findOrThrow(function), type);
    try {
      return handle.invokeWithArguments(arguments);
    } catch (Throwable thrown) {
      throw new AssertionError(function, thrown);
    }
  }
}

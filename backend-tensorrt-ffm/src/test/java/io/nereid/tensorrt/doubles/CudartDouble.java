package io.nereid.tensorrt.doubles;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.nereid.tensorrt.library.LibraryLookup;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The controls of {@code cudart_double.c}, the double of libcudart that the bindings of this
 * process use. What the double does is described there. Thread-safe.
 */
public final class CudartDouble {
  /** {@code cudaErrorMemoryAllocation}. */
  public static final int OUT_OF_MEMORY = 2;

  /** {@code cudaErrorIllegalAddress}, a sticky error. */
  public static final int ILLEGAL_ADDRESS = 700;

  /** The name of all functions, for faults. */
  public static final String ANY = "*";

  /** The name under which an operation that a stream runs can fail. */
  public static final String OPERATION = "operation";

  private static final class Holder {
    static final CudartDouble INSTANCE = new CudartDouble();
  }

  private final SymbolLookup library;
  private final Map<String, MethodHandle> functions = new ConcurrentHashMap<>();

  private CudartDouble() {
    this.library = NativeDoubles.open("cudart_double.c");
    LibraryLookup.bind("cudart", library);
  }

  /** The double, compiled, loaded and bound by the first call. */
  public static CudartDouble get() {
    return Holder.INSTANCE;
  }

  /** The library of the double, for doubles that are linked with it. */
  public static Path path() {
    return NativeDoubles.compile("cudart_double.c");
  }

  /** The symbols of the library. */
  public SymbolLookup library() {
    return library;
  }

  /** Restores the defaults, and forgets faults, failed devices, violations and call counts. */
  public void reset() {
    run("double_reset");
  }

  /** Forgets all objects and sets all counters to 0, after a test that has leaked some. */
  public void forgetObjects() {
    run("double_forget_objects");
  }

  /** Sets the number of devices; without one, calls fail with {@code cudaErrorNoDevice}. */
  public void setDevices(int count) {
    run("double_set_devices", count);
  }

  /** Sets the versions, such as 13000; without a driver (0), calls fail with code 35. */
  public void setVersions(int runtime, int driver) {
    run("double_set_versions", runtime, driver);
  }

  /** Sets the bytes of memory that a device has. */
  public void setMemory(int device, long bytes) {
    run("double_set_memory", device, bytes);
  }

  /**
   * Sets how many operations a query of a stream or an event runs: 1 by default, 0 for a device
   * that makes no progress until it is synchronised.
   */
  public void setOperationsPerQuery(long operations) {
    run("double_set_operations_per_query", operations);
  }

  /**
   * Lets work run at random too, whenever some is enqueued, as far as events allow. So a buffer
   * that is overwritten too early is found, which the usual order, as late as possible, hides.
   *
   * @param seed 0 for the usual order
   */
  public void setRandomOrder(long seed) {
    run("double_set_random_order", seed);
  }

  /** Lets the next call of a function fail with an error code. */
  public void failNext(String function, int code) {
    fail(function, 0, 1, code);
  }

  /**
   * Lets {@code times} calls of a function fail, after {@code skip} calls that do not.
   *
   * @param function of CUDA or TensorRT, {@link #ANY} or {@link #OPERATION}
   * @param code a sticky error makes the device fail from then on
   */
  public void fail(String function, long skip, long times, int code) {
    try (var arena = Arena.ofConfined()) {
      run("double_fail", arena.allocateFrom(function), skip, times, code);
    }
  }

  /** Lets calls of a function fail at random: {@code perMillion} of a million. */
  public void failAtRandom(String function, long perMillion, int code, long seed) {
    try (var arena = Arena.ofConfined()) {
      run("double_fail_at_random", arena.allocateFrom(function), perMillion, code, seed);
    }
  }

  /** Lets a device fail with a sticky error now, as a kernel does: its pending work is lost. */
  public void failDevice(int device, int code) {
    run("double_fail_device", device, code);
  }

  /** Ends what {@link #fail} and {@link #failAtRandom} have begun. A failed device stays so. */
  public void clearFaults() {
    run("double_clear_faults");
  }

  /** The calls of a function since the last reset, or of {@link #ANY}. */
  public long calls(String function) {
    try (var arena = Arena.ofConfined()) {
      return longOf("double_calls", arena.allocateFrom(function));
    }
  }

  /** The error that {@code cudaGetLastError} would return to this thread. */
  public int lastError() {
    return intOf("double_last_error");
  }

  /** The number of live objects by kind, such as {@code streams}; all kinds, sorted. */
  public SortedMap<String, Long> live() {
    var live = new TreeMap<String, Long>();
    for (int i = 0; i < intOf("double_counters"); i++) {
      live.put(textOf("double_counter_kind", i), longOf("double_counter_live", i));
    }
    return live;
  }

  /** The number of live objects of a kind. */
  public long live(String kind) {
    Long count = live().get(kind);
    if (count == null) {
      throw new IllegalArgumentException("no counter '" + kind + "' in " + live().keySet());
    }
    return count;
  }

  /** The number of live events that were created with all of these flags of CUDA. */
  public long eventsWith(int flags) {
    return longOf("double_events_with", flags);
  }

  /** The number of live streams that were created with a priority. */
  public long streamsWith(int priority) {
    return longOf("double_streams_with", priority);
  }

  /** The misuses since the last reset, in words. Looks for writes to wrong memory first. */
  public List<String> violations() {
    run("double_check_memory");
    var texts = new ArrayList<String>();
    for (long i = 0; i < longOf("double_violations"); i++) {
      texts.add(textOf("double_violation_text", i));
    }
    return texts;
  }

  /** Forgets the misuses so far, which a test has expected. */
  public void forgetViolations() {
    run("double_forget_violations");
  }

  private void run(String function, Object... arguments) {
    call(function, null, arguments);
  }

  private int intOf(String function, Object... arguments) {
    return (int) Objects.requireNonNull(call(function, JAVA_INT, arguments));
  }

  private long longOf(String function, Object... arguments) {
    return (long) Objects.requireNonNull(call(function, JAVA_LONG, arguments));
  }

  private String textOf(String function, Object... arguments) {
    var text = (MemorySegment) Objects.requireNonNull(call(function, ADDRESS, arguments));
    return text.address() == 0 ? "(text not kept)" : text.reinterpret(Long.MAX_VALUE).getString(0);
  }

  private @Nullable Object call(
      String function, @Nullable MemoryLayout result, Object... arguments) {
    MemoryLayout[] layouts =
        Arrays.stream(arguments).map(CudartDouble::layoutOf).toArray(MemoryLayout[]::new);
    var type =
        result == null
            ? FunctionDescriptor.ofVoid(layouts)
            : FunctionDescriptor.of(result, layouts);
    MethodHandle handle =
        functions.computeIfAbsent(
            function,
            name -> Linker.nativeLinker().downcallHandle(library.findOrThrow(name), type));
    try {
      return handle.invokeWithArguments(arguments);
    } catch (Throwable failed) {
      throw new AssertionError(function, failed);
    }
  }

  private static MemoryLayout layoutOf(Object argument) {
    return switch (argument) {
      case Integer _ -> JAVA_INT;
      case Long _ -> JAVA_LONG;
      case MemorySegment _ -> ADDRESS;
      default -> throw new IllegalArgumentException(argument.getClass().getName());
    };
  }
}

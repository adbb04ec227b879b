package io.nereid.tensorrt.cuda;

import io.nereid.tensorrt.bindings.cudart.Cudart;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A GPU as the CUDA runtime of this process sees it. There is one object for each device. It
 * remembers a sticky error: from then on every call for the device fails at once, with the text of
 * the first error. Thread-safe.
 */
public final class CudaDevice {
  /** Bytes of device memory: what is free for new allocations of any process, and all of it. */
  public record MemoryInfo(long free, long total) {}

  private static final ConcurrentMap<Integer, CudaDevice> DEVICES = new ConcurrentHashMap<>();

  // cudaDeviceProp begins with char name[256]; what follows differs. It has about 1,000 bytes.
  private static final long PROPERTIES_SIZE = 8192;
  private static final long NAME_SIZE = 256;

  private final int id;
  private final String name;
  private final String computeCapability;
  private volatile @Nullable CudaException failure;

  private CudaDevice(int id) {
    this.id = id;
    try (var arena = Arena.ofConfined()) {
      var properties = arena.allocate(PROPERTIES_SIZE, Long.BYTES);
      check("cudaGetDeviceProperties", Cudart.cudaGetDeviceProperties(properties, id));
      this.name = properties.asSlice(0, NAME_SIZE).getString(0);
      this.computeCapability =
          attribute(arena, Cudart.cudaDevAttrComputeCapabilityMajor())
              + "."
              + attribute(arena, Cudart.cudaDevAttrComputeCapabilityMinor());
    }
  }

  /** The number of devices that this process sees; 0 if there is a driver and no device. */
  public static int count() {
    try (var arena = Arena.ofConfined()) {
      var count = arena.allocate(ValueLayout.JAVA_INT);
      int status = Cudart.cudaGetDeviceCount(count);
      if (status == CudaError.NO_DEVICE) {
        clearLastError();
        return 0;
      }
      requireSuccess("cudaGetDeviceCount", status);
      return count.get(ValueLayout.JAVA_INT, 0);
    }
  }

  /**
   * The device with the given number.
   *
   * @throws IllegalArgumentException if there is no such device
   */
  public static CudaDevice of(int id) {
    CudaDevice known = DEVICES.get(id);
    if (known != null) {
      return known;
    }
    int count = count();
    if (id < 0 || id >= count) {
      throw new IllegalArgumentException("no CUDA device " + id + ", this process sees " + count);
    }
    var found = new CudaDevice(id);
    CudaDevice before = DEVICES.putIfAbsent(id, found);
    return before == null ? found : before;
  }

  /** The device on which the calling thread creates streams and events. */
  public static CudaDevice current() {
    try (var arena = Arena.ofConfined()) {
      var id = arena.allocate(ValueLayout.JAVA_INT);
      requireSuccess("cudaGetDevice", Cudart.cudaGetDevice(id));
      return of(id.get(ValueLayout.JAVA_INT, 0));
    }
  }

  /** Forgets all devices and their errors, for tests that start with a new driver. */
  static void forgetAll() {
    DEVICES.clear();
  }

  public int id() {
    return id;
  }

  /** Such as {@code NVIDIA H100 80GB HBM3}. */
  public String name() {
    return name;
  }

  /** Such as {@code 9.0}. */
  public String computeCapability() {
    return computeCapability;
  }

  /** The numerically greatest stream priority: the least urgent. */
  public int leastStreamPriority() {
    return whileCurrent(() -> streamPriority(0));
  }

  /** The numerically smallest stream priority: the most urgent. */
  public int greatestStreamPriority() {
    return whileCurrent(() -> streamPriority(1));
  }

  private int streamPriority(int index) {
    try (var arena = Arena.ofConfined()) {
      var range = arena.allocate(ValueLayout.JAVA_INT, 2);
      check(
          "cudaDeviceGetStreamPriorityRange",
          Cudart.cudaDeviceGetStreamPriorityRange(range, range.asSlice(Integer.BYTES)));
      return range.getAtIndex(ValueLayout.JAVA_INT, index);
    }
  }

  /** Makes this the device of the calling thread, for streams, events and launches. */
  public void use() {
    requireUsable("cudaSetDevice");
    check("cudaSetDevice", Cudart.cudaSetDevice(id));
  }

  public MemoryInfo memory() {
    return whileCurrent(() -> {
      try (var arena = Arena.ofConfined()) {
        var free = arena.allocate(ValueLayout.JAVA_LONG);
        var total = arena.allocate(ValueLayout.JAVA_LONG);
        check("cudaMemGetInfo", Cudart.cudaMemGetInfo(free, total));
        return new MemoryInfo(
            free.get(ValueLayout.JAVA_LONG, 0), total.get(ValueLayout.JAVA_LONG, 0));
      }
    });
  }

  /**
   * The sticky error of this device, null if there was none. What shares the device, such as the
   * instances of a model, cannot work any more once there is one.
   */
  public @Nullable CudaException failure() {
    return failure;
  }

  /** As {@link #whileCurrent(Supplier, Consumer)}, for a result that needs no release. */
  <T> T whileCurrent(Supplier<T> action) {
    return whileCurrent(action, _ -> {});
  }

  /**
   * Calls {@code action} while this is the device of the calling thread, and then lets the thread
   * use its own device again.
   *
   * @param release of the result if the thread cannot use its own device again
   */
  <T> T whileCurrent(Supplier<T> action, Consumer<T> release) {
    CudaDevice before = current();
    use();
    T result;
    try {
      result = action.get();
    } catch (RuntimeException | Error failed) {
      before.useAgain(failed);
      throw failed;
    }
    if (!before.equals(this) && before.failure == null) {
      try {
        before.use();
      } catch (CudaException failed) {
        Closing.with(failed, () -> release.accept(result));
        throw failed;
      }
    }
    return result;
  }

  private void useAgain(Throwable failed) {
    if (failure == null) {
      Closing.with(failed, this::use);
    }
  }

  /**
   * @throws CudaException if the device has failed before; {@code call} is then not to be made
   */
  void requireUsable(String call) {
    CudaException first = failure;
    if (first != null) {
      throw CudaException.refused(call, where(), first);
    }
  }

  /**
   * @throws CudaException if {@code status} is an error
   */
  void check(String call, int status) {
    if (status != 0) {
      throw failed(call, status);
    }
  }

  /**
   * Checks the status of a call that destroys an object. Once the device has failed such calls fail
   * too, and what they report is known.
   */
  void checkDestroyed(String call, int status) {
    if (status != 0 && failure == null) {
      throw failed(call, status);
    }
  }

  /** The exception for a status that is an error; a sticky one is remembered. */
  CudaException failed(String call, int status) {
    clearLastError();
    var failed = CudaException.of(call, where(), CudaError.of(status));
    if (failed.isSticky()) {
      remember(failed);
    }
    return failed;
  }

  private synchronized void remember(CudaException sticky) {
    if (failure == null) {
      failure = sticky;
    }
  }

  /** Checks a call that belongs to no device. */
  static void requireSuccess(String call, int status) {
    if (status != 0) {
      clearLastError();
      throw CudaException.of(call, "", CudaError.of(status));
    }
  }

  /**
   * CUDA keeps the last error of a thread until it is asked for it, and code that launches kernels,
   * such as a plugin, takes it for its own. The value is known already.
   */
  static void clearLastError() {
    int _ = Cudart.cudaGetLastError();
  }

  private String where() {
    return " on device " + id;
  }

  private int attribute(Arena arena, int attribute) {
    var value = arena.allocate(ValueLayout.JAVA_INT);
    check("cudaDeviceGetAttribute", Cudart.cudaDeviceGetAttribute(value, attribute, id));
    return value.get(ValueLayout.JAVA_INT, 0);
  }

  @Override
  public String toString() {
    return "CUDA device " + id + " (" + name + ")";
  }
}

package io.nereid.server.metrics.gpu;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The functions of {@code nvml.h} that the metrics need. A call may block for as long as the driver
 * does, so only platform threads call them.
 */
final class NvmlLibrary {
  /** The name that every driver for Linux installs. */
  static final String NAME = "libnvidia-ml.so.1";

  /** {@code NVML_DEVICE_UUID_V2_BUFFER_SIZE}. */
  private static final int UUID_SIZE = 96;

  /** {@code nvmlMemory_t}: three {@code unsigned long long}: total, free, used. */
  private static final MemoryLayout MEMORY = MemoryLayout.sequenceLayout(3, JAVA_LONG);

  /**
   * {@code nvmlMemory_v2_t}: its version, and four {@code unsigned long long}: total, reserved,
   * free, used.
   */
  private static final MemoryLayout MEMORY_V2 = MemoryLayout.sequenceLayout(5, JAVA_LONG);

  /** {@code nvmlMemory_v2}: the size of the structure, and the version in the highest byte. */
  private static final int MEMORY_V2_VERSION = 2 << 24 | (int) MEMORY_V2.byteSize();

  /** Of drivers from 510 on. */
  private static final String MEMORY_INFO_V2 = "nvmlDeviceGetMemoryInfo_v2";

  private static final List<String> GETTERS =
      List.of(
          "nvmlDeviceGetPowerUsage",
          "nvmlDeviceGetEnforcedPowerLimit",
          "nvmlDeviceGetTotalEnergyConsumption",
          "nvmlDeviceGetUtilizationRates",
          "nvmlDeviceGetMemoryInfo",
          MEMORY_INFO_V2);

  private final Map<String, MethodHandle> functions = new HashMap<>();

  private NvmlLibrary(Linker linker, SymbolLookup library) {
    bind(linker, library, "nvmlInit_v2", FunctionDescriptor.of(JAVA_INT));
    bind(linker, library, "nvmlShutdown", FunctionDescriptor.of(JAVA_INT));
    bind(linker, library, "nvmlErrorString", FunctionDescriptor.of(ADDRESS, JAVA_INT));
    bind(linker, library, "nvmlDeviceGetCount_v2", FunctionDescriptor.of(JAVA_INT, ADDRESS));
    bind(
        linker,
        library,
        "nvmlDeviceGetHandleByIndex_v2",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
    bind(
        linker,
        library,
        "nvmlDeviceGetUUID",
        FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
    GETTERS.forEach(
        name -> bind(linker, library, name, FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS)));
  }

  private void bind(Linker linker, SymbolLookup library, String name, FunctionDescriptor type) {
    library
        .find(name)
        .ifPresent(symbol -> functions.put(name, linker.downcallHandle(symbol, type)));
  }

  /** Opens a library for as long as the process lives; empty if there is none. */
  static Optional<NvmlLibrary> open(String name) {
    SymbolLookup library;
    try {
      library = SymbolLookup.libraryLookup(name, Arena.global());
    } catch (IllegalArgumentException notFound) {
      return Optional.empty();
    }
    return Optional.of(new NvmlLibrary(Linker.nativeLinker(), library));
  }

  /** Initializes the library; each call needs one of {@link #shutDown}. */
  void initialize() throws NvmlException {
    call("nvmlInit_v2", handle -> (int) handle.invokeExact());
  }

  void shutDown() throws NvmlException {
    call("nvmlShutdown", handle -> (int) handle.invokeExact());
  }

  int deviceCount() throws NvmlException {
    try (var arena = Arena.ofConfined()) {
      MemorySegment count = arena.allocate(JAVA_INT);
      call("nvmlDeviceGetCount_v2", handle -> (int) handle.invokeExact(count));
      return count.get(JAVA_INT, 0);
    }
  }

  /**
   * The {@code nvmlDevice_t} of an index, in the order of the PCI bus; valid until the shutdown.
   */
  MemorySegment device(int index) throws NvmlException {
    try (var arena = Arena.ofConfined()) {
      MemorySegment device = arena.allocate(ADDRESS);
      call("nvmlDeviceGetHandleByIndex_v2", handle -> (int) handle.invokeExact(index, device));
      return device.get(ADDRESS, 0);
    }
  }

  String uuid(MemorySegment device) throws NvmlException {
    try (var arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(UUID_SIZE);
      call("nvmlDeviceGetUUID", handle -> (int) handle.invokeExact(device, text, UUID_SIZE));
      return text.getString(0);
    }
  }

  long powerMilliwatts(MemorySegment device) throws NvmlException {
    return unsignedInt(device, "nvmlDeviceGetPowerUsage");
  }

  long powerLimitMilliwatts(MemorySegment device) throws NvmlException {
    return unsignedInt(device, "nvmlDeviceGetEnforcedPowerLimit");
  }

  /** Since the driver was loaded. */
  long energyMillijoules(MemorySegment device) throws NvmlException {
    try (var arena = Arena.ofConfined()) {
      MemorySegment energy = arena.allocate(JAVA_LONG);
      read("nvmlDeviceGetTotalEnergyConsumption", device, energy);
      return energy.get(JAVA_LONG, 0);
    }
  }

  long utilizationPercent(MemorySegment device) throws NvmlException {
    // nvmlUtilization_t: two unsigned int: gpu, memory
    return unsignedInt(device, "nvmlDeviceGetUtilizationRates");
  }

  /**
   * The sizes of a GPU's memory, in bytes.
   *
   * @param used without what the driver reserves, which one before 510 does not tell apart
   */
  record Memory(long total, long used) {}

  Memory memory(MemorySegment device) throws NvmlException {
    return functions.containsKey(MEMORY_INFO_V2) ? memoryV2(device) : memoryV1(device);
  }

  private Memory memoryV1(MemorySegment device) throws NvmlException {
    try (var arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(MEMORY);
      read("nvmlDeviceGetMemoryInfo", device, memory);
      return new Memory(memory.getAtIndex(JAVA_LONG, 0), memory.getAtIndex(JAVA_LONG, 2));
    }
  }

  private Memory memoryV2(MemorySegment device) throws NvmlException {
    try (var arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(MEMORY_V2);
      memory.set(JAVA_INT, 0, MEMORY_V2_VERSION);
      read(MEMORY_INFO_V2, device, memory);
      return new Memory(memory.getAtIndex(JAVA_LONG, 1), memory.getAtIndex(JAVA_LONG, 4));
    }
  }

  /** The first {@code unsigned int} of at most two that a function writes. */
  private long unsignedInt(MemorySegment device, String function) throws NvmlException {
    try (var arena = Arena.ofConfined()) {
      MemorySegment values = arena.allocate(JAVA_INT, 2);
      read(function, device, values);
      return Integer.toUnsignedLong(values.get(JAVA_INT, 0));
    }
  }

  private void read(String function, MemorySegment device, MemorySegment result)
      throws NvmlException {
    call(function, handle -> (int) handle.invokeExact(device, result));
  }

  /** A call of a function that returns an {@code nvmlReturn_t}. */
  private interface Call {
    int on(MethodHandle function) throws Throwable;
  }

  private void call(String function, Call call) throws NvmlException {
    int status;
    try {
      status = call.on(handle(function));
    } catch (NvmlException missing) {
      throw missing;
    } catch (Throwable thrown) {
      throw unexpected(function, thrown);
    }
    if (status != 0) {
      throw new NvmlException(function, status, text(status));
    }
  }

  private MethodHandle handle(String function) throws NvmlException {
    MethodHandle handle = functions.get(function);
    if (handle == null) {
      throw new NvmlException(function);
    }
    return handle;
  }

  private String text(int status) throws NvmlException {
    String function = "nvmlErrorString";
    try {
      var text = (MemorySegment) handle(function).invokeExact(status);
      return text.reinterpret(Long.MAX_VALUE).getString(0); // nvml.h: "const char *", static text
    } catch (NvmlException missing) {
      throw missing;
    } catch (Throwable thrown) {
      throw unexpected(function, thrown);
    }
  }

  private static IllegalStateException unexpected(String function, Throwable thrown) {
    return new IllegalStateException(function + " could not be called", thrown);
  }
}

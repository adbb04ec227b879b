package io.nereid.tensorrt.library;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.nereid.tensorrt.bindings.cudart.Cudart;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Questions to a CUDA runtime that is open and not bound: versions, devices, texts of errors. None
 * of them creates a context on a device.
 */
final class CudaQuery {
  /** In {@code struct cudaDeviceProp} of CUDA 12 and 13 (driver_types.h). */
  private static final long TOTAL_GLOBAL_MEM = 288;

  /** The struct has about 1000 bytes; a later one may have more. */
  private static final long DEVICE_PROP_BYTES = 16 << 10;

  private static final String DESCRIPTOR = "$descriptor";

  /** CUDA's answer to a question was an error. */
  static final class Failure extends Exception {
    private static final long serialVersionUID = 1L;

    private final int code;
    private final String name;

    /**
     * @param name such as {@code cudaErrorNoDevice}
     * @param text CUDA's description
     */
    private Failure(String function, int code, String name, String text) {
      super("%s failed: %s (%s, %d)".formatted(function, text, name, code));
      this.code = code;
      this.name = name;
    }

    int code() {
      return code;
    }

    String errorName() {
      return name;
    }
  }

  private final NativeLibrary cudart;

  CudaQuery(NativeLibrary cudart) {
    this.cudart = cudart;
  }

  /** The functions that the generated bindings call and that this library does not have. */
  List<String> missingFunctions() {
    return functions().stream().filter(function -> !cudart.has(function)).toList();
  }

  /** The functions that the generated bindings call. Initialises none of them. */
  static List<String> functions() {
    return Arrays.stream(Cudart.class.getDeclaredMethods())
        .map(Method::getName)
        .filter(name -> name.endsWith(DESCRIPTOR))
        .map(name -> name.substring(0, name.length() - DESCRIPTOR.length()))
        .sorted()
        .toList();
  }

  /** The newest version that the driver supports; 0 if there is no driver. */
  int driverVersion() throws Failure {
    return integer("cudaDriverGetVersion");
  }

  int runtimeVersion() throws Failure {
    return integer("cudaRuntimeGetVersion");
  }

  int deviceCount() throws Failure {
    return integer("cudaGetDeviceCount");
  }

  List<GpuDevice> devices(int count) throws Failure {
    List<GpuDevice> devices = new ArrayList<>();
    for (int id = 0; id < count; id++) {
      devices.add(device(id));
    }
    return devices;
  }

  private GpuDevice device(int id) throws Failure {
    String function = "cudaGetDeviceProperties";
    MethodHandle call = link(function, FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
    try (var arena = Arena.ofConfined()) {
      MemorySegment properties = arena.allocate(DEVICE_PROP_BYTES, Long.BYTES);
      int status;
      try {
        status = (int) call.invokeExact(properties, id);
      } catch (Throwable thrown) {
        throw NativeCalls.unexpected(function, thrown);
      }
      check(function, status);
      return new GpuDevice(
          id,
          properties.getString(0), // char name[256]
          "%s.%s"
              .formatted(
                  attribute(Cudart.cudaDevAttrComputeCapabilityMajor(), id),
                  attribute(Cudart.cudaDevAttrComputeCapabilityMinor(), id)),
          properties.get(JAVA_LONG_UNALIGNED, TOTAL_GLOBAL_MEM));
    }
  }

  private int attribute(int attribute, int device) throws Failure {
    String function = "cudaDeviceGetAttribute";
    MethodHandle call =
        link(function, FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));
    try (var arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(JAVA_INT);
      int status;
      try {
        status = (int) call.invokeExact(value, attribute, device);
      } catch (Throwable thrown) {
        throw NativeCalls.unexpected(function, thrown);
      }
      check(function, status);
      return value.get(JAVA_INT, 0);
    }
  }

  /** Calls a function that returns a status and an integer, by a pointer. */
  private int integer(String function) throws Failure {
    MethodHandle call = link(function, FunctionDescriptor.of(JAVA_INT, ADDRESS));
    try (var arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(JAVA_INT);
      int status;
      try {
        status = (int) call.invokeExact(value);
      } catch (Throwable thrown) {
        throw NativeCalls.unexpected(function, thrown);
      }
      check(function, status);
      return value.get(JAVA_INT, 0);
    }
  }

  private void check(String function, int status) throws Failure {
    if (status != Cudart.cudaSuccess()) {
      throw new Failure(
          function, status, text("cudaGetErrorName", status), text("cudaGetErrorString", status));
    }
  }

  private String text(String function, int status) {
    MethodHandle call = link(function, FunctionDescriptor.of(ADDRESS, JAVA_INT));
    try {
      return NativeCalls.text((MemorySegment) call.invokeExact(status));
    } catch (Throwable thrown) {
      throw NativeCalls.unexpected(function, thrown);
    }
  }

  private MethodHandle link(String function, FunctionDescriptor descriptor) {
    return Linker.nativeLinker().downcallHandle(cudart.symbols().findOrThrow(function), descriptor);
  }
}

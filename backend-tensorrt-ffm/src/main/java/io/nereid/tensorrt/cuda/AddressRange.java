package io.nereid.tensorrt.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.nereid.tensorrt.library.LibraryLookup;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * The extent of an allocation of device memory. The CUDA runtime does not tell it; it returns the
 * function of the driver that does, {@code cuMemGetAddressRange}.
 */
final class AddressRange {
  /** Of CUDA 12.5 and later: finds the function that a version of CUDA has. */
  private static final String ENTRY_POINT_BY_VERSION = "cudaGetDriverEntryPointByVersion";

  /**
   * Finds the function that the runtime's version of CUDA has, which a driver of an earlier minor
   * version refuses.
   */
  private static final String ENTRY_POINT = "cudaGetDriverEntryPoint";

  private static final String GET_RANGE = "cuMemGetAddressRange";
  private static final int CUDA_VERSION = 12000; // the earliest that is supported
  private static final long DEFAULT_FLAGS = 0; // cudaEnableDefault
  private static final int SYMBOL_NOT_FOUND = 500; // cudaErrorSymbolNotFound

  /** These take the address of the function first. */
  private static final MethodHandle CALL_ENTRY_POINT_BY_VERSION =
      Linker.nativeLinker()
          .downcallHandle(
              FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT, JAVA_LONG, ADDRESS));

  private static final MethodHandle CALL_ENTRY_POINT =
      Linker.nativeLinker()
          .downcallHandle(FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));

  private static final MethodHandle CALL_GET_RANGE =
      Linker.nativeLinker()
          .downcallHandle(FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG));

  private AddressRange() {}

  /**
   * The bytes from an address to the end of its allocation.
   *
   * @param device the one that the calling thread uses
   * @throws CudaException if the address is in no allocation
   */
  static long bytesFrom(MemorySegment address, CudaDevice device) {
    return bytesFrom(address, device, LibraryLookup.of("cudart"));
  }

  /**
   * As {@link #bytesFrom(MemorySegment, CudaDevice)}.
   *
   * @param cudart the functions of the CUDA runtime
   */
  static long bytesFrom(MemorySegment address, CudaDevice device, SymbolLookup cudart) {
    try (var arena = Arena.ofConfined()) {
      MemorySegment function = getRange(device, cudart, arena);
      MemorySegment base = arena.allocate(JAVA_LONG);
      MemorySegment size = arena.allocate(JAVA_LONG);
      int status;
      try {
        status = (int) CALL_GET_RANGE.invokeExact(function, base, size, address.address());
      } catch (Throwable thrown) {
        throw unexpected(GET_RANGE, thrown);
      }
      device.check(GET_RANGE, status); // the codes of cuda.h that concern it are cudaError_t's
      return base.get(JAVA_LONG, 0) + size.get(JAVA_LONG, 0) - address.address();
    }
  }

  private static MemorySegment getRange(CudaDevice device, SymbolLookup cudart, Arena arena) {
    MemorySegment name = arena.allocateFrom(GET_RANGE);
    MemorySegment pointer = arena.allocate(ADDRESS);
    MemorySegment result = arena.allocate(JAVA_INT); // the pointer is null if it is no success
    Optional<MemorySegment> byVersion = cudart.find(ENTRY_POINT_BY_VERSION);
    String function = byVersion.isPresent() ? ENTRY_POINT_BY_VERSION : ENTRY_POINT;
    int status;
    try {
      status =
          byVersion.isPresent()
              ? (int)
                  CALL_ENTRY_POINT_BY_VERSION.invokeExact(
                      byVersion.get(), name, pointer, CUDA_VERSION, DEFAULT_FLAGS, result)
              : (int)
                  CALL_ENTRY_POINT.invokeExact(
                      cudart.findOrThrow(ENTRY_POINT), name, pointer, DEFAULT_FLAGS, result);
    } catch (Throwable thrown) {
      throw unexpected(function, thrown);
    }
    device.check(function, status);
    MemorySegment range = CudaHandle.pointerAt(pointer);
    if (range.equals(MemorySegment.NULL)) {
      throw device.failed(function, SYMBOL_NOT_FOUND);
    }
    return range;
  }

  private static IllegalStateException unexpected(String function, Throwable thrown) {
    return new IllegalStateException("call of " + function, thrown);
  }
}

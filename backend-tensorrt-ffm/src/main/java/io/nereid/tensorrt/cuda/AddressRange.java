package io.nereid.tensorrt.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.nereid.tensorrt.library.LibraryLookup;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The extent of an allocation of device memory. The CUDA runtime does not tell it; its {@code
 * cudaGetDriverEntryPoint} returns the function of the driver that does, {@code
 * cuMemGetAddressRange}.
 */
final class AddressRange {
  private static final String ENTRY_POINT = "cudaGetDriverEntryPoint";
  private static final String GET_RANGE = "cuMemGetAddressRange";
  private static final long DEFAULT_FLAGS = 0; // cudaEnableDefault
  private static final int SYMBOL_NOT_FOUND = 500; // cudaErrorSymbolNotFound

  /** Both take the address of the function first. */
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
    try (var arena = Arena.ofConfined()) {
      MemorySegment function = getRange(device, arena);
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

  private static MemorySegment getRange(CudaDevice device, Arena arena) {
    MemorySegment pointer = arena.allocate(ADDRESS);
    int status;
    try {
      status =
          (int)
              CALL_ENTRY_POINT.invokeExact(
                  LibraryLookup.of("cudart").findOrThrow(ENTRY_POINT),
                  arena.allocateFrom(GET_RANGE),
                  pointer,
                  DEFAULT_FLAGS,
                  arena.allocate(JAVA_INT)); // the result: the pointer is null if it is no success
    } catch (Throwable thrown) {
      throw unexpected(ENTRY_POINT, thrown);
    }
    device.check(ENTRY_POINT, status);
    MemorySegment function = NativeHandle.pointerAt(pointer);
    if (function.equals(MemorySegment.NULL)) {
      throw device.failed(ENTRY_POINT, SYMBOL_NOT_FOUND);
    }
    return function;
  }

  private static IllegalStateException unexpected(String function, Throwable thrown) {
    return new IllegalStateException("call of " + function, thrown);
  }
}

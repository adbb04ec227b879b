package io.nereid.tensorrt.machine;

import io.nereid.tensorrt.cuda.CudaDevice;
import io.nereid.tensorrt.cuda.CudaException;
import io.nereid.tensorrt.library.LibraryLookup;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;

/** The GPU of this machine for tests that need one, or a failure that says what is missing. */
final class RealGpu {
  private RealGpu() {}

  /**
   * Binds the CUDA runtime that {@code -Dtensorrt.cudart} names, or that the system finds, and
   * returns the first device.
   *
   * @throws AssertionError if there is no library, no driver or no GPU
   */
  static CudaDevice require() {
    return require(System.getProperty("tensorrt.cudart", ""));
  }

  /** As {@link #require()}, with a file of the CUDA runtime; empty for the one of the system. */
  static CudaDevice require(String cudart) {
    LibraryLookup.bind("cudart", open(cudart.isEmpty() ? "libcudart.so.13" : cudart));
    try {
      if (CudaDevice.count() > 0) {
        return CudaDevice.of(0);
      }
    } catch (CudaException failed) {
      throw new AssertionError(
          "This test needs an NVIDIA GPU with its driver: " + failed.getMessage(), failed);
    }
    throw new AssertionError("This test needs an NVIDIA GPU; its driver shows none.");
  }

  private static SymbolLookup open(String cudart) {
    try {
      return cudart.contains("/")
          ? SymbolLookup.libraryLookup(Path.of(cudart), Arena.global())
          : SymbolLookup.libraryLookup(cudart, Arena.global());
    } catch (IllegalArgumentException absent) {
      throw new AssertionError(
          "This test needs the CUDA runtime; -Dtensorrt.cudart=FILE names it.", absent);
    }
  }
}

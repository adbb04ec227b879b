package io.nereid.tensorrt.cuda;

import io.nereid.tensorrt.bindings.cudart.Cudart;
import java.lang.foreign.MemorySegment;

/**
 * An error of the CUDA runtime with its name and text, as {@code cudaGetErrorName} and {@code
 * cudaGetErrorString} give them. Both functions work without a driver.
 */
record CudaError(int code, String name, String text) {
  static final int OUT_OF_MEMORY = Cudart.cudaErrorMemoryAllocation();
  static final int NO_DEVICE = Cudart.cudaErrorNoDevice();
  static final int NOT_READY = Cudart.cudaErrorNotReady();

  static CudaError of(int code) {
    return new CudaError(
        code, string(Cudart.cudaGetErrorName(code)), string(Cudart.cudaGetErrorString(code)));
  }

  /** Both functions return a static string that ends with a zero byte, for any code. */
  private static String string(MemorySegment text) {
    return text.reinterpret(Long.MAX_VALUE).getString(0);
  }

  /**
   * Whether the error leaves the process in an inconsistent state in which any further CUDA work
   * returns the same error (NVIDIA, CUDA Runtime API, cudaError_t). The context of an unknown error
   * is not trusted either.
   */
  boolean isSticky() {
    return code == Cudart.cudaErrorECCUncorrectable()
        || code == Cudart.cudaErrorIllegalAddress()
        || code == Cudart.cudaErrorLaunchTimeout()
        || code == Cudart.cudaErrorContextIsDestroyed()
        || code == Cudart.cudaErrorAssert()
        || code == Cudart.cudaErrorHardwareStackError()
        || code == Cudart.cudaErrorIllegalInstruction()
        || code == Cudart.cudaErrorMisalignedAddress()
        || code == Cudart.cudaErrorInvalidAddressSpace()
        || code == Cudart.cudaErrorInvalidPc()
        || code == Cudart.cudaErrorLaunchFailure()
        || code == Cudart.cudaErrorUnknown();
  }

  @Override
  public String toString() {
    return name + " (" + code + "): " + text;
  }
}

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
   * Whether the error leaves the process in an inconsistent state, in which any further work of
   * CUDA returns the same error (driver_types.h, cudaError). After an uncorrectable memory error,
   * the loss of the context or an unknown error the device is not trusted either.
   */
  boolean isSticky() {
    return code == Cudart.cudaErrorECCUncorrectable()
        || code == Cudart.cudaErrorNvlinkUncorrectable()
        || code == Cudart.cudaErrorContained()
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
        || code == Cudart.cudaErrorTensorMemoryLeak()
        || code == Cudart.cudaErrorMpsClientTerminated()
        || code == Cudart.cudaErrorExternalDevice()
        || code == Cudart.cudaErrorUnknown();
  }

  @Override
  public String toString() {
    return name + " (" + code + "): " + text;
  }
}

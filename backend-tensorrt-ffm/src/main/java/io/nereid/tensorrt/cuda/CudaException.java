package io.nereid.tensorrt.cuda;

import org.jspecify.annotations.Nullable;

/**
 * A failed call of the CUDA runtime. The message has the name of the call, and the name, code and
 * text of the error. It never leaves the module: the caller adds the model and throws an {@link
 * io.nereid.error.InferenceException}.
 */
public final class CudaException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int code;
  private final boolean sticky;

  private CudaException(String message, int code, boolean sticky, @Nullable CudaException cause) {
    super(message, cause);
    this.code = code;
    this.sticky = sticky;
  }

  /** The failure of a call that was made. */
  static CudaException of(String call, String where, CudaError error) {
    return new CudaException(
        call + " failed" + where + ": " + error, error.code(), error.isSticky(), null);
  }

  /** The refusal of a call on a device that has failed before. */
  static CudaException refused(String call, String where, CudaException first) {
    return new CudaException(
        call + " was not called, CUDA has failed before" + where + ": " + first.getMessage(),
        first.code,
        first.sticky,
        first);
  }

  /** The {@code cudaError_t}. */
  public int code() {
    return code;
  }

  /**
   * Whether every later call on the device in this process fails too. The memory of the device is
   * lost; only a new process can use the device again.
   */
  public boolean isSticky() {
    return sticky;
  }

  /** Whether the device, or the host for page-locked memory, has not enough free memory. */
  public boolean isOutOfMemory() {
    return code == CudaError.OUT_OF_MEMORY;
  }
}

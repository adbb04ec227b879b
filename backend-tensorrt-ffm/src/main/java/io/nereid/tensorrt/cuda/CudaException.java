package io.nereid.tensorrt.cuda;

import org.jspecify.annotations.Nullable;

/**
 * A failed call of the CUDA runtime. The message has the name of the call, and the name, code and
 * text of the error. It never leaves the module: the caller adds the model and throws an {@link
 * io.nereid.error.InferenceException}.
 */
public final class CudaException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String call;
  private final int code;
  private final String name;
  private final boolean sticky;

  private CudaException(
      String message, String call, CudaError error, @Nullable CudaException cause) {
    super(message, cause);
    this.call = call;
    this.code = error.code();
    this.name = error.name();
    this.sticky = error.isSticky();
  }

  /** The failure of a call that was made. */
  static CudaException of(String call, String where, CudaError error) {
    return new CudaException(call + " failed" + where + ": " + error, call, error, null);
  }

  /** The refusal of a call on a device that has failed before. */
  static CudaException refused(String call, String where, CudaException first) {
    var error = new CudaError(first.code, first.name, "");
    return new CudaException(
        call + " was not called, CUDA has failed before" + where + ": " + first.getMessage(),
        call,
        error,
        first);
  }

  /** The C function that failed, such as {@code cudaMemcpyAsync}. */
  public String call() {
    return call;
  }

  /** The {@code cudaError_t}. */
  public int code() {
    return code;
  }

  /** The name of the error, such as {@code cudaErrorIllegalAddress}. */
  public String name() {
    return name;
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

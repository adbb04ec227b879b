package io.nereid.tensorrt.engine;

import org.jspecify.annotations.Nullable;

/**
 * A failed call of TensorRT, or a plan that this backend cannot use. The message is one line for
 * people and holds TensorRT's own text if it gave one. It never leaves this module: the caller adds
 * the model and throws an {@link io.nereid.error.InferenceException}.
 */
public final class TensorRtException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  TensorRtException(String message) {
    super(message);
  }

  TensorRtException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** The message; never null. */
  @Override
  public String getMessage() {
    String message = super.getMessage();
    return message == null ? "" : message;
  }
}

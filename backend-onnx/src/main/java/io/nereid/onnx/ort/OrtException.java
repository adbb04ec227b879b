package io.nereid.onnx.ort;

/**
 * A failed call of ONNX Runtime. It never leaves this module: the caller adds the model and the
 * file and throws an {@link io.nereid.error.InferenceException}.
 */
public final class OrtException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  static final int INVALID_ARGUMENT = 2; // ORT_INVALID_ARGUMENT

  private final int code;

  /**
   * @param code an {@code OrtErrorCode}
   * @param text ONNX Runtime's message
   */
  OrtException(int code, String text) {
    super("onnx runtime error " + code + ": " + text);
    this.code = code;
  }

  /** The {@code OrtErrorCode}. */
  public int code() {
    return code;
  }
}

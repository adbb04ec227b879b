package io.nereid.onnx.ort;

/**
 * Why ONNX Runtime refused a call.
 *
 * @param code its {@code OrtErrorCode}
 * @param message its text
 */
public record OrtStatus(int code, String message) {
  static final int INVALID_ARGUMENT = 2; // ORT_INVALID_ARGUMENT

  /** {@code onnx runtime error 2: text}. */
  @Override
  public String toString() {
    return "onnx runtime error " + code + ": " + message;
  }
}

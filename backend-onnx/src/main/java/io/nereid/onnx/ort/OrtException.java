package io.nereid.onnx.ort;

/**
 * A call that ONNX Runtime refused. It stays inside this module: the caller knows which model and
 * which file it was about, and says so.
 */
public final class OrtException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient OrtStatus status;

  OrtException(OrtStatus status) {
    super(status.toString());
    this.status = status;
  }

  public OrtStatus status() {
    return status;
  }
}

package io.nereid.onnx.ort;

import java.util.regex.Pattern;

/**
 * A failed call of ONNX Runtime. It never leaves this module: the caller adds the model and the
 * file and throws an {@link io.nereid.error.InferenceException}.
 */
public final class OrtException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  static final int INVALID_ARGUMENT = 2; // ORT_INVALID_ARGUMENT

  private static final int MODEL_LOAD_CANCELED = 12; // ORT_MODEL_LOAD_CANCELED

  /** The folder of a source file, as of the machine that built the library. */
  private static final Pattern SOURCE_FOLDER =
      Pattern.compile("(?:/[\\w.+-]+)+/(?=[\\w.+-]+\\.(?:cc|cpp|cu|cuh|h|hpp):\\d)");

  private final int code;

  /**
   * @param code an {@code OrtErrorCode}
   * @param text ONNX Runtime's message; source files that it names lose their folders
   */
  OrtException(int code, String text) {
    super("onnx runtime error " + code + ": " + SOURCE_FOLDER.matcher(text).replaceAll(""));
    this.code = code;
  }

  /** Whether a session was not opened since that was cancelled. */
  public boolean isCancelledLoad() {
    return code == MODEL_LOAD_CANCELED;
  }

  /**
   * Whether a run has failed because an output is bound to memory for another shape than the run
   * has computed. No code says so; the words are those of versions from 1.28 and before.
   */
  public boolean isOfBoundShape() {
    String text = String.valueOf(getMessage());
    return text.contains("pre-allocated output OrtValues")
        || text.contains("OrtValue shape verification failed");
  }

  /**
   * Whether a session was not opened since it is to share threads, and the environment was made
   * before without any: a library has one, which another class loader may have made.
   */
  public boolean isWithoutSharedThreads() {
    return String.valueOf(getMessage()).contains("EnvCreatedWithGlobalThreadPools() was false");
  }

  /** Whether a session was not opened since the system lacks a locale that the model needs. */
  public boolean isOfMissingLocale() {
    return String.valueOf(getMessage()).contains("Failed to construct locale with name:");
  }

  /** The {@code OrtErrorCode}. */
  public int code() {
    return code;
  }
}

package io.nereid.tensorrt.library;

/** CUDA's answer to a question was an error. */
final class CudaQueryException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int code;
  private final String name;

  /**
   * @param name such as {@code cudaErrorNoDevice}
   * @param text CUDA's description
   */
  CudaQueryException(String function, int code, String name, String text) {
    super("%s failed: %s (%s, %d)".formatted(function, text, name, code));
    this.code = code;
    this.name = name;
  }

  int code() {
    return code;
  }

  String errorName() {
    return name;
  }
}

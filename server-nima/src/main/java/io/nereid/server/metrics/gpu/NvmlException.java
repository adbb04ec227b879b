package io.nereid.server.metrics.gpu;

/** A call of NVML that did not return {@code NVML_SUCCESS}. */
final class NvmlException extends Exception {
  private static final long serialVersionUID = 1;

  /** A call that returned this status, described by {@code nvmlErrorString}. */
  NvmlException(String function, int status, String text) {
    super("%s: %s (%d)".formatted(function, text, status));
  }

  /** A function that the library of this driver lacks. */
  NvmlException(String function) {
    super(function + ": the library lacks it");
  }
}

package io.nereid.error;

/**
 * Why something failed, for machines: Triton's eight codes. {@link #text()} is the name that Triton
 * writes into reasons.
 */
public enum StatusCode {
  UNKNOWN("Unknown"),
  INTERNAL("Internal"),
  NOT_FOUND("Not found"),
  INVALID_ARGUMENT("Invalid argument"),
  UNAVAILABLE("Unavailable"),
  UNSUPPORTED("Unsupported"),
  ALREADY_EXISTS("Already exists"),
  CANCELLED("Cancelled");

  private final String text;

  StatusCode(String text) {
    this.text = text;
  }

  /** As in {@code Invalid argument: ...}, the form of a model state's reason. */
  public String text() {
    return text;
  }
}

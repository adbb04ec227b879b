package io.nereid.error;

/** The category of a failure: the error codes of Triton's C API. */
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

  /** The name as Triton prints it, such as {@code Invalid argument}. */
  public String text() {
    return text;
  }
}

package io.nereid.error;

/**
 * The category of a failure: the error codes of Triton's C API, and {@link #RESOURCE_EXHAUSTED} and
 * {@link #DEADLINE_EXCEEDED}, which Triton lacks.
 */
public enum StatusCode {
  UNKNOWN("Unknown"),
  INTERNAL("Internal"),
  NOT_FOUND("Not found"),
  INVALID_ARGUMENT("Invalid argument"),
  UNAVAILABLE("Unavailable"),
  UNSUPPORTED("Unsupported"),
  ALREADY_EXISTS("Already exists"),
  CANCELLED("Cancelled"),
  /** The server is at a limit now; the same request may succeed later. */
  RESOURCE_EXHAUSTED("Resource exhausted"),
  /** The client's deadline has passed. */
  DEADLINE_EXCEEDED("Deadline exceeded");

  private final String text;

  StatusCode(String text) {
    this.text = text;
  }

  /** The name as Triton prints it, such as {@code Invalid argument}. */
  public String text() {
    return text;
  }
}

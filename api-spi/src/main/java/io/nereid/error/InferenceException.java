package io.nereid.error;

import org.jspecify.annotations.Nullable;

/**
 * The only exception that crosses a boundary: a code for machines, and for people one line that
 * names the model, the field, what came and what was expected. Anything else that is thrown is a
 * bug and becomes {@link StatusCode#INTERNAL} at the edge.
 *
 * <p>Failures that a client causes carry no stack trace: they are answers, and cheap.
 */
public final class InferenceException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final StatusCode code;

  private InferenceException(
      StatusCode code, String message, @Nullable Throwable cause, boolean trace) {
    super(message, cause, true, trace);
    this.code = code;
  }

  public InferenceException(StatusCode code, String message) {
    this(code, message, null, code == StatusCode.INTERNAL || code == StatusCode.UNKNOWN);
  }

  public InferenceException(StatusCode code, String message, @Nullable Throwable cause) {
    this(code, message, cause, true);
  }

  /** The request, or a model's configuration, is wrong. */
  public static InferenceException invalid(String message) {
    return new InferenceException(StatusCode.INVALID_ARGUMENT, message);
  }

  public static InferenceException notFound(String message) {
    return new InferenceException(StatusCode.NOT_FOUND, message);
  }

  /** Not now: overload, loading, shutting down. */
  public static InferenceException unavailable(String message) {
    return new InferenceException(StatusCode.UNAVAILABLE, message);
  }

  public static InferenceException unsupported(String message) {
    return new InferenceException(StatusCode.UNSUPPORTED, message);
  }

  public static InferenceException internal(String message) {
    return new InferenceException(StatusCode.INTERNAL, message);
  }

  /** The failure of a request by a bug, which the caller logs. */
  public static InferenceException unexpected(Throwable bug) {
    return internal("unexpected failure: " + bug);
  }

  /** The client went away or called off the request; the message is empty, as Triton's is. */
  public static InferenceException cancelled() {
    return new InferenceException(StatusCode.CANCELLED, "");
  }

  public StatusCode code() {
    return code;
  }

  /** The message; never null. */
  @Override
  public String getMessage() {
    String message = super.getMessage();
    return message == null ? "" : message;
  }

  /** {@code Invalid argument: message}: how a model's state reason shows a failure. */
  public String reason() {
    return code.text() + ": " + getMessage();
  }
}

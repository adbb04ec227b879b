package io.nereid.error;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The failure of a request or of loading a model: a code for programs and a message of one line for
 * people, which names the model, the field, and the expected and the actual value. Clients receive
 * both. Every other exception is a bug; the server reports it as {@link StatusCode#INTERNAL}.
 *
 * <p>An exception without a cause has a stack trace only if its code is {@link StatusCode#INTERNAL}
 * or {@link StatusCode#UNKNOWN}: the other codes report ordinary outcomes and must be cheap.
 */
public final class InferenceException extends RuntimeException {
  /** When a request may be sent again that has met a limit which others hold at the moment. */
  public static final Duration SOON = Duration.ofSeconds(1);

  private static final long serialVersionUID = 1L;

  /** The futures within each other in which a failure is looked for. */
  private static final int MAX_WRAPPERS = 20;

  private final StatusCode code;
  private final @Nullable Duration retryAfter;

  private InferenceException(
      StatusCode code,
      String message,
      @Nullable Throwable cause,
      boolean trace,
      @Nullable Duration retryAfter) {
    super(message, cause, true, trace);
    this.code = code;
    this.retryAfter = retryAfter;
  }

  public InferenceException(StatusCode code, String message) {
    this(code, message, null, code == StatusCode.INTERNAL || code == StatusCode.UNKNOWN, null);
  }

  public InferenceException(StatusCode code, String message, @Nullable Throwable cause) {
    this(code, message, cause, true, null);
  }

  /** The request or the model's configuration is invalid. */
  public static InferenceException invalid(String message) {
    return new InferenceException(StatusCode.INVALID_ARGUMENT, message);
  }

  public static InferenceException notFound(String message) {
    return new InferenceException(StatusCode.NOT_FOUND, message);
  }

  /** The service cannot be had now, because of overload, loading or shutdown. */
  public static InferenceException unavailable(String message) {
    return new InferenceException(StatusCode.UNAVAILABLE, message);
  }

  /** As {@link #exhausted(String, Duration)}, where the limit may be free in a second. */
  public static InferenceException exhausted(String message) {
    return exhausted(message, SOON);
  }

  /**
   * The request would exceed a limit of the server now, such as its memory or its capacity. A
   * client whose request has been executed is told no time: it would have that executed again.
   *
   * @param retryAfter when the client may send it again: {@code Retry-After} over HTTP, {@code
   *     grpc-retry-pushback-ms} over gRPC
   */
  public static InferenceException exhausted(String message, Duration retryAfter) {
    return new InferenceException(StatusCode.RESOURCE_EXHAUSTED, message, null, false, retryAfter);
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

  /**
   * The request is not well-formed, or a value in it has the wrong type. Triton's code for that is
   * INTERNAL; since a client causes it, it has no stack trace.
   */
  public static InferenceException malformed(String message) {
    return new InferenceException(StatusCode.INTERNAL, message, null, false, null);
  }

  /** The client cancelled the request or disconnected; the message is empty, as Triton's is. */
  public static InferenceException cancelled() {
    return new InferenceException(StatusCode.CANCELLED, "");
  }

  /**
   * The failure that was thrown: the exception itself, or the one that a future has wrapped, which
   * is the cause of a {@link CompletionException} or an {@link ExecutionException}, or of several
   * in each other. Empty for anything else: that is a bug.
   */
  public static Optional<InferenceException> of(@Nullable Throwable thrown) {
    Throwable cause = thrown;
    for (int depth = 0; depth < MAX_WRAPPERS; depth++) {
      if (!(cause instanceof CompletionException || cause instanceof ExecutionException)) {
        break;
      }
      cause = cause.getCause();
    }
    return cause instanceof InferenceException failure ? Optional.of(failure) : Optional.empty();
  }

  public StatusCode code() {
    return code;
  }

  /** When the client may send the request again, if the failure says so. */
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(retryAfter);
  }

  /** The same failure of a request that has been executed, so that clients do not send it again. */
  public InferenceException withoutRetryAfter() {
    return retryAfter == null
        ? this
        : new InferenceException(code, getMessage(), getCause(), false, null);
  }

  /** The message; never null. */
  @Override
  public String getMessage() {
    String message = super.getMessage();
    return message == null ? "" : message;
  }

  /** The class, the code and the message. */
  @Override
  public String toString() {
    return "%s: %s: %s".formatted(getClass().getName(), code, getMessage());
  }

  /** Code and message, such as {@code Invalid argument: ...}: the reason of a model's state. */
  public String reason() {
    return code.text() + ": " + getMessage();
  }
}

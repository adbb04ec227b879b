package io.nereid.client.grpc;

import io.grpc.Metadata;
import io.grpc.Status;
import io.nereid.client.ErrorCode;
import io.nereid.client.NereidException;
import io.nereid.client.Refusals;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Statuses as the failures of calls. */
final class StatusFailures {
  private static final Metadata.Key<String> PUSHBACK =
      Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER);

  private StatusFailures() {}

  /**
   * The failure that a status tells.
   *
   * @param trailers empty if the status is not the server's, but made here because there is no
   *     connection any more
   * @param tracer the call's
   */
  static NereidException of(
      Status status,
      @Nullable Metadata trailers,
      SendTracer tracer,
      String asked,
      @Nullable Throwable thrown) {
    boolean saidByServer = trailers != null && !trailers.keys().isEmpty();
    ErrorCode code = code(status.getCode());
    String sentence = sentence(status);
    Duration pushback = trailers == null ? null : pushback(trailers);
    boolean refused = saidByServer && Refusals.isRefusal(code, sentence, pushback != null, asked);
    return new NereidException(
        code, asked, sentence, tracer.isSent() && !refused, pushback, thrown);
  }

  /** The description, which for a broken connection is in the cause only. */
  private static String sentence(Status status) {
    String description = Objects.requireNonNullElse(status.getDescription(), "");
    Throwable cause = status.getCause();
    if (cause == null || description.contains(String.valueOf(cause.getMessage()))) {
      return description.strip();
    }
    return (description.isEmpty() ? "" : description.strip() + ": ") + cause;
  }

  /** When the server wants to be asked again; null if it does not, as with a negative time. */
  private static @Nullable Duration pushback(Metadata trailers) {
    String value = trailers.get(PUSHBACK);
    try {
      long millis = value == null ? -1 : Long.parseLong(value);
      return millis < 0 ? null : Duration.ofMillis(millis);
    } catch (NumberFormatException notMillis) {
      return null;
    }
  }

  static ErrorCode code(Status.Code code) {
    return switch (code) {
      case CANCELLED, ABORTED -> ErrorCode.CANCELLED;
      case INVALID_ARGUMENT, OUT_OF_RANGE, FAILED_PRECONDITION -> ErrorCode.INVALID_ARGUMENT;
      case DEADLINE_EXCEEDED -> ErrorCode.DEADLINE_EXCEEDED;
      case NOT_FOUND -> ErrorCode.NOT_FOUND;
      case ALREADY_EXISTS -> ErrorCode.ALREADY_EXISTS;
      case PERMISSION_DENIED -> ErrorCode.PERMISSION_DENIED;
      case UNAUTHENTICATED -> ErrorCode.UNAUTHENTICATED;
      case RESOURCE_EXHAUSTED -> ErrorCode.RESOURCE_EXHAUSTED;
      case UNIMPLEMENTED -> ErrorCode.UNIMPLEMENTED;
      case INTERNAL, DATA_LOSS -> ErrorCode.INTERNAL;
      case UNAVAILABLE -> ErrorCode.UNAVAILABLE;
      case OK, UNKNOWN -> ErrorCode.UNKNOWN;
    };
  }
}

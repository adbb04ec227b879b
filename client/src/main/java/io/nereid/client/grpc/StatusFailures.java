package io.nereid.client.grpc;

import io.grpc.Metadata;
import io.grpc.Status;
import io.nereid.client.ErrorCode;
import io.nereid.client.NereidException;
import io.nereid.client.Sentences;
import io.nereid.client.ServerSentences;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Statuses as the failures of calls. */
final class StatusFailures {
  private static final Metadata.Key<String> PUSHBACK =
      Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER);

  /** How Netty shows the first bytes of {@code HTTP/1.1}. */
  private static final String HTTP_IN_HEX = "485454502f";

  /** What gRPC says of a message that is larger than the call's limit, compressed or not. */
  private static final String TOO_LARGE = "gRPC message exceeds maximum size";

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
    if (!saidByServer) {
      NereidException own = own(status, tracer, asked, thrown);
      if (own != null) {
        return own;
      }
    }
    String sentence = sentence(status);
    ErrorCode code = ServerSentences.code(code(status.getCode()), sentence);
    Duration pushback = trailers == null ? null : pushback(trailers);
    boolean refused =
        saidByServer && ServerSentences.isRefusal(code, sentence, pushback != null, asked);
    return new NereidException(
        code, asked, sentence, tracer.isSent() && !refused, pushback, thrown);
  }

  /** What gRPC says of the client's side, in the words of all transports; null for the rest. */
  private static @Nullable NereidException own(
      Status status, SendTracer tracer, String asked, @Nullable Throwable thrown) {
    boolean isSent = tracer.isSent();
    ErrorCode code = code(status.getCode());
    if (code == ErrorCode.DEADLINE_EXCEEDED) {
      return tracer.context().late(asked, isSent, thrown);
    }
    if (status.getCause() instanceof InterruptedException) {
      return failure(ErrorCode.CANCELLED, asked, Sentences.INTERRUPTED, isSent, thrown);
    }
    ChannelTransport transport = tracer.transport();
    if (transport.isClosed() && (code == ErrorCode.UNAVAILABLE || code == ErrorCode.CANCELLED)) {
      return failure(ErrorCode.UNAVAILABLE, asked, Sentences.CLOSED, isSent, thrown);
    }
    if (code == ErrorCode.RESOURCE_EXHAUSTED && sentence(status).contains(TOO_LARGE)) {
      return failure(ErrorCode.BAD_RESPONSE, asked, transport.tooLong(), true, thrown);
    }
    if (hasHttpAnswered(status.getCause())) {
      return failure(ErrorCode.BAD_RESPONSE, asked, Sentences.SPEAKS_HTTP, false, thrown);
    }
    if (!isSent && code == ErrorCode.UNAVAILABLE) {
      transport.reconnect();
    }
    String none = isSent ? null : Sentences.noConnection(status.getCause());
    return none == null ? null : failure(code, asked, none, false, thrown);
  }

  private static NereidException failure(
      ErrorCode code,
      String asked,
      String sentence,
      boolean mayHaveRun,
      @Nullable Throwable thrown) {
    return new NereidException(code, asked, sentence, mayHaveRun, null, thrown);
  }

  private static boolean hasHttpAnswered(@Nullable Throwable failure) {
    return Sentences.causes(failure).stream()
        .anyMatch(cause -> String.valueOf(cause.getMessage()).contains(HTTP_IN_HEX));
  }

  /** The failure that a message of a stream tells, which has a text and no code. */
  static NereidException ofMessage(String text, String asked) {
    ErrorCode code = ServerSentences.code(ErrorCode.UNKNOWN, text);
    boolean refused = ServerSentences.isRefusal(code, text, false, asked);
    return new NereidException(code, asked, text, !refused, null, null);
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

package io.nereid.client.engine;

import io.nereid.client.CallContext;
import io.nereid.client.ErrorCode;
import io.nereid.client.NereidException;
import io.nereid.client.Sentences;
import io.nereid.client.ServerSentences;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;

/** Failures of an engine as those of calls, with the codes that gRPC has for them. */
final class EngineFailures {
  private EngineFailures() {}

  /** The failure of a call. */
  static NereidException of(Throwable failure, String asked, CallContext context) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return switch (cause) {
      case InferenceException known -> of(known, asked, context);
      case TimeoutException late -> context.late(asked, /* mayHaveRun= */ true, late);
      case CancellationException cancelled ->
          failure(ErrorCode.CANCELLED, asked, "the call was cancelled", cancelled);
      default -> failure(ErrorCode.INTERNAL, asked, cause.toString(), cause);
    };
  }

  static NereidException of(InferenceException failure, String asked, CallContext context) {
    if (failure.code() == StatusCode.DEADLINE_EXCEEDED && context.nanosLeft() <= 0) {
      return context.late(asked, /* mayHaveRun= */ true, failure);
    }
    if (failure.code() == StatusCode.CANCELLED && Thread.currentThread().isInterrupted()) {
      return failure(ErrorCode.CANCELLED, asked, Sentences.INTERRUPTED, failure);
    }
    String sentence = failure.getMessage();
    ErrorCode code = ServerSentences.code(code(failure.code()), sentence);
    Duration retryAfter = failure.retryAfter().orElse(null);
    boolean refused = ServerSentences.isRefusal(code, sentence, retryAfter != null, asked);
    return new NereidException(code, asked, sentence, !refused, retryAfter, failure);
  }

  private static NereidException failure(
      ErrorCode code, String asked, String sentence, Throwable cause) {
    return new NereidException(code, asked, sentence, /* mayHaveRun= */ true, null, cause);
  }

  private static ErrorCode code(StatusCode code) {
    return switch (code) {
      case UNKNOWN -> ErrorCode.UNKNOWN;
      case INTERNAL -> ErrorCode.INTERNAL;
      case NOT_FOUND -> ErrorCode.NOT_FOUND;
      case INVALID_ARGUMENT -> ErrorCode.INVALID_ARGUMENT;
      case UNAVAILABLE -> ErrorCode.UNAVAILABLE;
      case UNSUPPORTED -> ErrorCode.UNIMPLEMENTED;
      case ALREADY_EXISTS -> ErrorCode.ALREADY_EXISTS;
      case CANCELLED -> ErrorCode.CANCELLED;
      case RESOURCE_EXHAUSTED -> ErrorCode.RESOURCE_EXHAUSTED;
      case DEADLINE_EXCEEDED -> ErrorCode.DEADLINE_EXCEEDED;
    };
  }
}

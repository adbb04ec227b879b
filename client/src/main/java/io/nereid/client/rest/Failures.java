package io.nereid.client.rest;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nereid.client.ErrorCode;
import io.nereid.client.NereidException;
import io.nereid.client.Sentences;
import io.nereid.client.ServerSentences;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/** Statuses and exceptions as the failures of calls. */
final class Failures {
  private static final int SHOWN = 200;

  /** Every frame of HTTP/2 has it, and no line of HTTP/1.1. */
  private static final char HTTP2_BYTE = 0;

  private static final byte[] EVENT = "data:".getBytes(UTF_8);

  private Failures() {}

  /**
   * Whether the whole request may have come to the server before something broke. If a write of
   * plain text has failed, it has not; what has failed is in the JDK's frames only.
   *
   * @param request null if it was not begun
   */
  static boolean isSent(@Nullable HttpRequest request, Throwable failure) {
    return request != null
        && TensorBody.isSent(request)
        && !("http".equals(request.uri().getScheme()) && isOfAWrite(failure));
  }

  private static boolean isOfAWrite(Throwable failure) {
    return Sentences.causes(failure).stream()
        .map(Throwable::getStackTrace)
        .anyMatch(frames -> frames.length > 0 && frames[0].getMethodName().startsWith("write"));
  }

  /**
   * The failure of a call that got no response.
   *
   * @param isSent whether the whole request may have come to the server
   */
  static NereidException of(Throwable thrown, String asked, boolean isSent) {
    Throwable failure =
        thrown instanceof CompletionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    if (failure instanceof NereidException known) {
      return known;
    }
    if (failure instanceof CancellationException) {
      return new NereidException(
          ErrorCode.CANCELLED, asked, "the call was cancelled", isSent, null, failure);
    }
    String message = String.valueOf(failure.getMessage());
    if (failure instanceof IOException && message.indexOf(HTTP2_BYTE) >= 0) {
      return new NereidException(
          ErrorCode.BAD_RESPONSE, asked, Sentences.SPEAKS_GRPC, false, null, failure);
    }
    if (failure instanceof ProtocolException || failure instanceof NumberFormatException) {
      return NereidException.badResponse(asked, message, failure);
    }
    if (failure instanceof IOException) {
      boolean isConnected =
          !(failure instanceof ConnectException
              || failure instanceof HttpConnectTimeoutException
              || failure instanceof SSLHandshakeException);
      return new NereidException(
          ErrorCode.UNAVAILABLE,
          asked,
          sentence(failure, isConnected, isSent),
          isConnected && isSent,
          null,
          failure);
    }
    return new NereidException(
        ErrorCode.INTERNAL, asked, String.valueOf(failure), isSent, null, failure);
  }

  private static String sentence(Throwable failure, boolean isConnected, boolean isSent) {
    String message = failure.getMessage();
    String none = isConnected ? null : Sentences.noConnection(failure);
    if (none != null) {
      return none;
    }
    String what =
        isConnected
            ? "the connection broke" + (isSent ? "" : " before the request was sent")
            : "no connection";
    return message == null || message.isEmpty() ? what : what + ": " + message;
  }

  /** The failure that a response of another status than 200 tells. */
  static NereidException of(HttpBody response, String asked) {
    int status = response.status();
    String said = error(response);
    Duration retryAfter = retryAfter(response);
    String sentence = said != null ? said : "HTTP status " + status + shown(response);
    ErrorCode code = ServerSentences.code(code(status), sentence);
    return new NereidException(
        code,
        asked,
        sentence,
        !ServerSentences.isRefusal(code, sentence, retryAfter != null, asked),
        retryAfter,
        null);
  }

  static ErrorCode code(int status) {
    return switch (status) {
      case 401 -> ErrorCode.UNAUTHENTICATED;
      case 403 -> ErrorCode.PERMISSION_DENIED;
      case 404 -> ErrorCode.NOT_FOUND;
      case 405, 501 -> ErrorCode.UNIMPLEMENTED;
      case 408, 504 -> ErrorCode.DEADLINE_EXCEEDED;
      case 409 -> ErrorCode.ALREADY_EXISTS;
      case 429 -> ErrorCode.RESOURCE_EXHAUSTED;
      case 499 -> ErrorCode.CANCELLED;
      case 502, 503 -> ErrorCode.UNAVAILABLE;
      default -> {
        if (status >= 400 && status < 500) {
          yield ErrorCode.INVALID_ARGUMENT;
        }
        yield status >= 500 ? ErrorCode.INTERNAL : ErrorCode.BAD_RESPONSE;
      }
    };
  }

  /** The {@code error} of the body, if it has one. */
  static @Nullable String error(HttpBody response) {
    // some servers send the event of a stream that failed at its begin
    int from = startsWith(response, EVENT) ? EVENT.length : 0;
    try {
      return JsonTree.read(response.bytes(), from, response.length() - from)
                  instanceof Map<?, ?> members
              && members.get("error") instanceof String error
          ? error.strip()
          : null;
    } catch (IOException notJson) {
      // a proxy's page, or nothing
      return null;
    }
  }

  private static boolean startsWith(HttpBody response, byte[] text) {
    return response.length() >= text.length
        && Arrays.equals(response.bytes(), 0, text.length, text, 0, text.length);
  }

  private static String shown(HttpBody response) {
    if (response.length() == 0) {
      return "";
    }
    String text = new String(response.bytes(), 0, Math.min(SHOWN, response.length()), UTF_8);
    return ": " + text.strip();
  }

  private static @Nullable Duration retryAfter(HttpBody response) {
    String value = response.headers().firstValue("retry-after").orElse("").strip();
    try {
      return value.isEmpty() ? null : Duration.ofSeconds(Math.max(0, Long.parseLong(value)));
    } catch (NumberFormatException notSeconds) {
      return untilDate(value);
    }
  }

  private static @Nullable Duration untilDate(String value) {
    try {
      ZonedDateTime date = ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME);
      Duration wait = Duration.between(ZonedDateTime.now(date.getZone()), date);
      return wait.isNegative() ? Duration.ZERO : wait;
    } catch (DateTimeParseException neither) {
      return null;
    }
  }
}

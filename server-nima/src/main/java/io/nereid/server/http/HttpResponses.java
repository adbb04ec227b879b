package io.nereid.server.http;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.server.codec.json.JsonResponseWriter;
import io.nereid.server.http.connection.HttpResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Responses without tensors. */
final class HttpResponses {
  private static final String CONTENT_TYPE = "Content-Type";
  private static final byte[] EMPTY = {};

  private HttpResponses() {}

  /** Sends a status without a body. */
  static void status(HttpResponse response, int status) throws IOException {
    response.status(status).header(CONTENT_TYPE, "text/plain").send(EMPTY);
  }

  static void json(HttpResponse response, String body) throws IOException {
    json(response, 200, body.getBytes(StandardCharsets.UTF_8));
  }

  static void json(HttpResponse response, int status, byte[] body) throws IOException {
    response.status(status).header(CONTENT_TYPE, "application/json").send(body);
  }

  /** Sends {@code {"error":"..."}}. */
  static void error(HttpResponse response, int status, String message) throws IOException {
    json(response.error(message), status, JsonResponseWriter.error(message));
  }

  static void error(HttpResponse response, InferenceException failure) throws IOException {
    failed(response, failure).header(CONTENT_TYPE, "application/json");
    response.send(JsonResponseWriter.error(failure.getMessage()));
  }

  /** Sets the status of a failure, and when the client may send the request again. */
  static HttpResponse failed(HttpResponse response, InferenceException failure) {
    failure.retryAfter().ifPresent(time -> response.retryAfter(seconds(time)));
    return response.error(failure.getMessage()).status(status(failure.code()));
  }

  /** The time in whole seconds, at least one. */
  private static long seconds(Duration time) {
    return Math.max(1, time.plusNanos(999_999_999).toSeconds());
  }

  /** The HTTP status of a failure. */
  private static int status(StatusCode code) {
    return switch (code) {
      case INTERNAL -> 500;
      case UNSUPPORTED -> 501;
      case RESOURCE_EXHAUSTED -> 429;
      case UNAVAILABLE -> 503;
      case DEADLINE_EXCEEDED -> 504;
      case NOT_FOUND -> 404;
      case UNKNOWN, INVALID_ARGUMENT, ALREADY_EXISTS, CANCELLED -> 400;
    };
  }
}

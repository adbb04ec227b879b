package io.nereid.server.http;

import io.helidon.http.Header;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.webserver.http.ServerResponse;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.server.codec.json.JsonResponseWriter;
import java.nio.charset.StandardCharsets;

/** Responses without tensors. */
final class HttpResponses {
  static final Header JSON =
      HeaderValues.createCached(HeaderNames.CONTENT_TYPE, "application/json");
  private static final Header TEXT =
      HeaderValues.createCached(HeaderNames.CONTENT_TYPE, "text/plain");

  private HttpResponses() {}

  /** Sends a status without a body. */
  static void status(ServerResponse response, int status) {
    response.status(status).header(TEXT).send(new byte[0]);
  }

  static void json(ServerResponse response, String body) {
    json(response, 200, body.getBytes(StandardCharsets.UTF_8));
  }

  static void json(ServerResponse response, int status, byte[] body) {
    response.status(status).header(JSON).send(body);
  }

  /** Sends {@code {"error":"..."}}. */
  static void error(ServerResponse response, int status, String message) {
    json(response, status, JsonResponseWriter.error(message));
  }

  static void error(ServerResponse response, InferenceException failure) {
    error(response, status(failure.code()), failure.getMessage());
  }

  /** The HTTP status of a failure. */
  private static int status(StatusCode code) {
    return switch (code) {
      case INTERNAL -> 500;
      case UNSUPPORTED -> 501;
      case RESOURCE_EXHAUSTED -> 429;
      case UNAVAILABLE -> 503;
      case NOT_FOUND -> 404;
      case UNKNOWN, INVALID_ARGUMENT, ALREADY_EXISTS, CANCELLED -> 400;
    };
  }
}

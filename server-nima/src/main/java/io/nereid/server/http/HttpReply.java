package io.nereid.server.http;

import com.google.gson.JsonObject;
import io.helidon.http.Header;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.webserver.http.ServerResponse;
import io.nereid.error.InferenceException;
import java.nio.charset.StandardCharsets;

/** The forms of answer that have no tensors. */
final class HttpReply {
  static final Header JSON =
      HeaderValues.createCached(HeaderNames.CONTENT_TYPE, "application/json");
  static final Header TEXT = HeaderValues.createCached(HeaderNames.CONTENT_TYPE, "text/plain");

  private HttpReply() {}

  /** Says yes or no by the status alone. */
  static void status(ServerResponse response, int status) {
    response.status(status).header(TEXT).send(new byte[0]);
  }

  static void json(ServerResponse response, int status, String body) {
    json(response, status, body.getBytes(StandardCharsets.UTF_8));
  }

  static void json(ServerResponse response, int status, byte[] body) {
    response.status(status).header(JSON).send(body);
  }

  /** {@code {"error":"..."}}. */
  static void error(ServerResponse response, int status, String message) {
    var body = new JsonObject();
    body.addProperty("error", message);
    json(response, status, body.toString());
  }

  static void error(ServerResponse response, InferenceException failure) {
    error(response, HttpErrors.status(failure.code()), failure.getMessage());
  }
}

package io.nereid.server.http.route;

import io.nereid.error.InferenceException;
import io.nereid.server.codec.LongWork;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Responses without tensors. */
public final class HttpResponses {
  private static final String CONTENT_TYPE = "Content-Type";
  private static final byte[] EMPTY = {};

  /** From so many entries on a list takes about half a millisecond. */
  private static final int MANY = 64;

  private HttpResponses() {}

  /** Sends a status without a body. */
  public static void status(HttpResponse response, int status) throws IOException {
    response.status(status).header(CONTENT_TYPE, "text/plain").send(EMPTY);
  }

  public static void json(HttpResponse response, String body) throws IOException {
    json(response, body.getBytes(StandardCharsets.UTF_8));
  }

  public static void json(HttpResponse response, byte[] body) throws IOException {
    response.header(CONTENT_TYPE, "application/json").send(body);
  }

  /**
   * Sends a list of what the server has. A long one is long work: a virtual thread that makes it
   * keeps its processor from all others meanwhile.
   */
  public static void list(
      HttpRequest request,
      HttpResponse response,
      LongWork longWork,
      int entries,
      LongWork.Work<byte[]> writing)
      throws IOException {
    json(response, longWork.call(request.client(), listSize(entries), writing));
  }

  /** The size of a list of so many entries, for {@link LongWork#call}. */
  static long listSize(int entries) {
    return (long) entries * LongWork.LEAST / MANY;
  }

  /** Sends {@code {"error":"..."}}. */
  public static void error(HttpResponse response, int status, String message) throws IOException {
    error(response, ErrorShape.V2, status, message);
  }

  /** Sends a failure in the form of an API. */
  public static void error(HttpResponse response, ErrorShape shape, int status, String message)
      throws IOException {
    json(response.error(message).status(status), shape.body(status, message));
  }

  /** Sends a failure in the form of an API. */
  public static void error(HttpResponse response, ErrorShape shape, InferenceException failure)
      throws IOException {
    setRetryAfter(response, failure);
    error(response, shape, shape.status(failure.code()), failure.getMessage());
  }

  /** Sets the status of a failure, and when the client may send the request again. */
  public static HttpResponse failed(HttpResponse response, InferenceException failure) {
    setRetryAfter(response, failure);
    return response.error(failure.getMessage()).status(ErrorShape.V2.status(failure.code()));
  }

  private static void setRetryAfter(HttpResponse response, InferenceException failure) {
    failure.retryAfter().ifPresent(time -> response.retryAfter(seconds(time)));
  }

  /** The time in whole seconds, at least one. */
  private static long seconds(Duration time) {
    return Math.max(1, time.plusNanos(999_999_999).toSeconds());
  }
}

package io.nereid.server.grpc.limits;

import com.google.common.escape.Escaper;
import com.google.common.net.PercentEscaper;
import io.grpc.Status;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.RequestLimits;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import java.time.Duration;

/** The statuses of calls that end because of a limit, and their form in HTTP/2. */
public final class GrpcStatuses {
  /** When to try again, in milliseconds; not, if negative (gRPC A6, client retries). */
  private static final String RETRY_PUSHBACK = "grpc-retry-pushback-ms";

  private static final Status EXPIRED =
      Status.UNAVAILABLE.withDescription(
          "the server stops, and the call has not ended within the exit timeout");

  /**
   * Encodes what is no printable ASCII, and the percent sign (gRPC over HTTP/2, Percent-Encoded).
   */
  private static final Escaper MESSAGE =
      new PercentEscaper(" !\"#$&'()*+,-./:;<=>?@[\\]^_`{|}~", /* plusForSpace= */ false);

  private GrpcStatuses() {}

  public static Status tooLarge(GrpcLimits limits) {
    return exhausted(GrpcLimits.tooLarge(limits.maxRequestSize()));
  }

  /** For messages of methods without tensors. */
  public static Status tooLargeForMethod() {
    return Status.RESOURCE_EXHAUSTED.withDescription(
        "the message is larger than %d bytes, the limit of this method"
            .formatted(RequestLimits.MAX_PLAIN_REQUEST));
  }

  /** The cause tells when the client may try again, if that is known. */
  public static Status exhausted(InferenceException failure) {
    return Status.RESOURCE_EXHAUSTED.withDescription(failure.getMessage()).withCause(failure);
  }

  public static Status slowRequest(GrpcCallLimits limits) {
    return Status.DEADLINE_EXCEEDED.withDescription(
        "the request has not come within %d ms (--grpc-read-timeout-secs)"
            .formatted(limits.readTimeout().toMillis()));
  }

  public static Status slowReader(GrpcCallLimits limits) {
    return Status.RESOURCE_EXHAUSTED.withDescription(
        "the client has not read its response within %d ms (--grpc-write-timeout-secs)"
            .formatted(limits.writeTimeout().toMillis()));
  }

  /** For streams without requests. */
  public static Status idle(GrpcCallLimits limits) {
    return Status.DEADLINE_EXCEEDED.withDescription(
        "the stream has had no request for %d ms (--grpc-stream-idle-timeout-secs)"
            .formatted(limits.streamIdleTimeout().toMillis()));
  }

  /** For calls whose request has not come when the server stops. */
  public static Status stopping() {
    return Status.UNAVAILABLE.withDescription(
        "the server stops, and the request has not come whole");
  }

  /** For calls that outlast the stop; clients are told not to send them again, as they have run. */
  public static Status expired() {
    return EXPIRED;
  }

  /**
   * The headers that end a call (gRPC over HTTP/2, section Responses).
   *
   * @param trailers whether headers were sent before
   */
  public static Http2Headers headers(Status status, boolean trailers) {
    var headers = new DefaultHttp2Headers();
    if (!trailers) {
      var _ = headers.status("200").add("content-type", "application/grpc");
    }
    var _ = headers.add("grpc-status", Integer.toString(status.getCode().value()));
    String description = status.getDescription();
    if (description != null) {
      var _ = headers.add("grpc-message", MESSAGE.escape(description));
    }
    if (status.getCause() instanceof InferenceException failure) {
      failure.retryAfter().ifPresent(time -> headers.add(RETRY_PUSHBACK, pushback(time)));
    }
    if (status.equals(EXPIRED)) {
      var _ = headers.add(RETRY_PUSHBACK, "-1");
    }
    return headers;
  }

  /** A time as {@code grpc-retry-pushback-ms}: not before it has passed. */
  public static String pushback(Duration time) {
    return Long.toString(time.plusNanos(999_999).toMillis());
  }
}

package io.nereid.server.grpc.call;

import io.grpc.Metadata;
import io.grpc.Status;
import io.nereid.error.InferenceException;
import io.nereid.server.grpc.limits.GrpcStatuses;

/** The only place where a failure becomes a gRPC status. */
public final class GrpcErrors {
  /** In milliseconds (gRPC A6, client retries). */
  private static final Metadata.Key<String> RETRY_PUSHBACK =
      Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER);

  /** Bytes of a description as it is sent, where gRPC writes a byte as three. */
  private static final int MAX_ENCODED = 6_000;

  private static final int MAX_PER_CHAR = 12;

  private GrpcErrors() {}

  public static Status status(InferenceException failure) {
    Status.Code code =
        switch (failure.code()) {
          case UNKNOWN -> Status.Code.UNKNOWN;
          case INTERNAL -> Status.Code.INTERNAL;
          case NOT_FOUND -> Status.Code.NOT_FOUND;
          case INVALID_ARGUMENT -> Status.Code.INVALID_ARGUMENT;
          case UNAVAILABLE -> Status.Code.UNAVAILABLE;
          case UNSUPPORTED -> Status.Code.UNIMPLEMENTED;
          case ALREADY_EXISTS -> Status.Code.ALREADY_EXISTS;
          case CANCELLED -> Status.Code.CANCELLED;
          case RESOURCE_EXHAUSTED -> Status.Code.RESOURCE_EXHAUSTED;
          case DEADLINE_EXCEEDED -> Status.Code.DEADLINE_EXCEEDED;
        };
    return code.toStatus().withDescription(shortened(failure.getMessage()));
  }

  /** As much of a text as clients take, which read 8 KiB of metadata at most. */
  static String shortened(String text) {
    if (text.length() <= MAX_ENCODED / MAX_PER_CHAR) {
      return text;
    }
    int encoded = 0;
    for (int at = 0; at < text.length(); ) {
      int codePoint = text.codePointAt(at);
      encoded += codePoint < 0x80 ? 3 : 12;
      if (encoded > MAX_ENCODED) {
        return text.substring(0, at) + "...";
      }
      at += Character.charCount(codePoint);
    }
    return text;
  }

  /** The trailers of a failed call: when to try again, if that is known. */
  public static Metadata trailers(InferenceException failure) {
    var trailers = new Metadata();
    failure
        .retryAfter()
        .ifPresent(time -> trailers.put(RETRY_PUSHBACK, GrpcStatuses.pushback(time)));
    return trailers;
  }

  /** The failure of requests that arrive while the server stops. */
  public static InferenceException stopping() {
    return InferenceException.unavailable(
        "GRPC server is shutting down and has stopped accepting new requests.");
  }
}

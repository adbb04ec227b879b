package io.nereid.server.http;

import io.nereid.error.StatusCode;

/** The only place where a failure becomes an HTTP status. */
final class HttpErrors {
  private HttpErrors() {}

  static int status(StatusCode code) {
    return switch (code) {
      case INTERNAL -> 500;
      case UNSUPPORTED -> 501;
      case UNAVAILABLE -> 503;
      case NOT_FOUND -> 404;
      case UNKNOWN, INVALID_ARGUMENT, ALREADY_EXISTS, CANCELLED -> 400;
    };
  }
}

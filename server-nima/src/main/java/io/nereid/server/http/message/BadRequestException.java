package io.nereid.server.http.message;

import java.io.IOException;

/** A request that ends its connection, since it is unknown where the next request would begin. */
public final class BadRequestException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int status;

  /**
   * @param status the status of the response, 400 or above
   * @param message the error in the body of the response
   */
  public BadRequestException(int status, String message) {
    super(message);
    this.status = status;
  }

  /** A request that does not follow the grammar of HTTP. */
  public static BadRequestException malformed(String message) {
    return new BadRequestException(400, message);
  }

  public int status() {
    return status;
  }

  /** Not filled in: a client causes this exception, and it is not logged with its trace. */
  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}

package io.nereid.server.http.route;

/** A request lacks the header that a restricted API needs, as turns out while it is read. */
public final class ForbiddenException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * @param header its name
   */
  public ForbiddenException(String header) {
    super(message(header), null, false, false);
  }

  /** What a client learns that lacks the header. */
  public static String message(String header) {
    return "This API is restricted, expecting header '%s'".formatted(header);
  }
}

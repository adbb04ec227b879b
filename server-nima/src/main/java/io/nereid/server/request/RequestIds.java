package io.nereid.server.request;

/** The names of requests in error messages. */
public final class RequestIds {
  private RequestIds() {}

  /** {@code "[request id: <id>] "}, with Triton's stand-in for an empty id. */
  public static String prefix(String id) {
    return "[request id: " + (id.isEmpty() ? "<id_unknown>" : id) + "] ";
  }
}

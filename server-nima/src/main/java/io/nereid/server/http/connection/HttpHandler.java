package io.nereid.server.http.connection;

import java.io.IOException;

/** The handler of a listener's requests. Each call runs on the virtual thread of a connection. */
@FunctionalInterface
public interface HttpHandler {
  /**
   * Sends the response to a request. It need not read the body.
   *
   * @throws IOException if the connection has failed, or the body is malformed
   */
  void handle(HttpRequest request, HttpResponse response) throws IOException;
}

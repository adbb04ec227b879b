package io.nereid.server.http.connection;

import io.nereid.engine.memory.ClientKey;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The handler of a listener's requests. Each call runs on the virtual thread of a connection. */
@FunctionalInterface
public interface HttpHandler {
  /**
   * Sends the response to a request. It need not read the body.
   *
   * @throws IOException if the connection has failed, or the body is malformed
   */
  void handle(HttpRequest request, HttpResponse response) throws IOException;

  /**
   * Tells that a request has its response, or that its connection has failed. By default, this has
   * no effect.
   *
   * @param request null if its head was malformed, so that it was never handled
   * @param response not begun if the connection failed before
   */
  default void ended(ClientKey client, @Nullable HttpRequest request, HttpResponse response) {}
}

package io.nereid.server.metrics;

import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.Method;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;

/** The HTTP listener of {@code /metrics}, in Prometheus' text format. */
public final class MetricsTransport {
  private final WebServer server;

  /**
   * Starts to listen.
   *
   * @param port 0 for any free port
   * @throws IOException if the address cannot be bound
   */
  public static MetricsTransport start(String address, int port, MetricsPage page)
      throws IOException {
    WebServer server =
        WebServer.builder()
            .host(address)
            .port(port)
            .shutdownHook(false)
            .connectionOptions(socket -> socket.tcpNoDelay(true))
            .routing(routing -> routing.any((request, response) -> handle(page, request, response)))
            .build()
            .start();
    if (!server.isRunning()) {
      throw new IOException("cannot listen for metrics at %s:%d".formatted(address, port));
    }
    return new MetricsTransport(server);
  }

  private MetricsTransport(WebServer server) {
    this.server = server;
  }

  /** The bound port. */
  public int port() {
    return server.port();
  }

  public void stop() {
    server.stop();
  }

  private static void handle(MetricsPage page, ServerRequest request, ServerResponse response) {
    respond(page, request, response);
    if (response.headers().contains(HeaderValues.CONNECTION_CLOSE)) {
      // Helidon's loop would read the next request.
      throw new CloseConnectionException("the response ends the connection");
    }
  }

  private static void respond(MetricsPage page, ServerRequest request, ServerResponse response) {
    if (!request.prologue().method().equals(Method.GET)) {
      response.status(405).send();
      return;
    }
    response.header(HeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8");
    String path = request.prologue().uriPath().rawPath();
    if (path.equals("/metrics") || path.equals("/metrics/")) {
      response.send(page.text());
    } else {
      response.send();
    }
  }
}

package io.nereid.server.helidon;

import io.helidon.webserver.WebServer;
import io.helidon.webserver.WebServerConfig;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.UnaryOperator;

/**
 * A Helidon server without anything of ours, whose every response is the request's path, a space,
 * and the request's body.
 */
final class StockServer implements AutoCloseable {
  private final WebServer server;

  StockServer() {
    this(settings -> settings);
  }

  StockServer(UnaryOperator<WebServerConfig.Builder> settings) {
    server =
        settings
            .apply(
                WebServer.builder()
                    .host("127.0.0.1")
                    .port(0)
                    .shutdownHook(false)
                    .routing(routing ->
                        routing.any((request, response) ->
                            response.send(
                                request.prologue().uriPath().rawPath()
                                    + ' '
                                    + (request.content().hasEntity()
                                        ? request.content().as(String.class)
                                        : "")))))
            .build()
            .start();
  }

  boolean isRunning() {
    return server.isRunning();
  }

  InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
  }

  @Override
  public void close() {
    server.stop();
  }

  /**
   * Prints the port, and serves until the input ends: a process whose open files can be limited.
   */
  public static void main(String[] arguments) throws IOException {
    try (var server = new StockServer()) {
      System.out.println(server.address().getPort());
      System.in.transferTo(OutputStream.nullOutputStream()); // until it ends
    }
  }
}

package io.nereid.tck;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server as a process, which answers before it is ready: the first three times that it is asked.
 */
final class SlowServer {
  private SlowServer() {}

  public static void main(String[] arguments) throws IOException {
    var asked = new AtomicInteger();
    var address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
    var server = HttpServer.create(address, 0);
    server.createContext(
        "/v2",
        exchange -> {
          try (exchange) {
            boolean isReady =
                !exchange.getRequestURI().getPath().equals("/v2/health/ready")
                    || asked.incrementAndGet() > 3;
            exchange.sendResponseHeaders(isReady ? 200 : 400, -1);
          }
        });
    server.start();
  }
}

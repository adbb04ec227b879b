package io.nereid.server.http.connection;

import io.helidon.webserver.WebServer;
import io.nereid.server.security.ServerTls;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** A listener of HTTP/1.1, on Helidon. */
public final class HttpListener {
  /** How long Helidon waits for threads whose connections are closed. */
  private static final Duration CLOSING = Duration.ofMillis(500);

  private final WebServer server;
  private final OpenConnections open;
  private final DisconnectMonitor monitor;

  /**
   * Starts to listen.
   *
   * @param tls empty for plain text
   * @throws IOException if the address cannot be bound
   */
  public static HttpListener start(
      ListenerSettings settings, Optional<ServerTls> tls, HttpHandler handler) throws IOException {
    var monitor = new DisconnectMonitor();
    var open = new OpenConnections(monitor);
    var accepted = new AcceptedChannels();
    WebServer server =
        WebServer.builder()
            .host(settings.address())
            .port(settings.port())
            .shutdownHook(false) // the composition root stops it
            .shutdownGracePeriod(CLOSING)
            .backlog(4096)
            .connectionOptions(accepted)
            .protocolsDiscoverServices(false)
            .addConnectionSelector(
                new Http1Selector(handler, settings.headLimits(), open, accepted, tls))
            .build()
            .start();
    if (!server.isRunning()) {
      throw new IOException(
          "cannot listen for %s at %s:%d"
              .formatted(settings.name(), settings.address(), settings.port()));
    }
    monitor.start();
    return new HttpListener(server, open, monitor);
  }

  private HttpListener(WebServer server, OpenConnections open, DisconnectMonitor monitor) {
    this.server = server;
    this.open = open;
    this.monitor = monitor;
  }

  /** The bound port. */
  public int port() {
    return server.port();
  }

  /** Closes new connections; open ones are served on. */
  public void refuseConnections() {
    open.refuse();
  }

  /**
   * Stops to listen and ends all connections: those without a whole request first, the others
   * behind their response, which says so.
   *
   * @param grace how long responses may take
   * @return whether no response was cut off
   */
  public boolean stop(Duration grace) {
    boolean inTime = false;
    try {
      inTime = open.stop(grace);
    } catch (InterruptedException hurried) {
      Thread.currentThread().interrupt();
    }
    server.stop();
    monitor.close();
    return inTime;
  }
}

package io.nereid.server.http;

import io.helidon.http.DirectHandler;
import io.helidon.http.HeaderNames;
import io.helidon.http.ServerResponseHeaders;
import io.helidon.http.Status;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.DirectHandlers;
import io.nereid.server.codec.json.JsonResponseWriter;
import io.nereid.server.engine.InferenceEngine;
import io.nereid.server.engine.ServerIdentity;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.model.control.ModelControl;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The HTTP listener of the REST protocol. */
public final class HttpTransport {
  private final WebServer server;
  private final DirectConnections connections;
  private final DisconnectMonitor monitor;

  /**
   * Starts to listen.
   *
   * @param port 0 for any free port
   * @param maxInputSize {@code --http-max-input-size}
   * @param grace how long {@link #stop} waits for running requests
   * @throws IOException if the address cannot be bound
   */
  public static HttpTransport start(
      String address,
      int port,
      long maxInputSize,
      Duration grace,
      InferenceEngine engine,
      ModelControl models,
      ServerIdentity identity,
      BufferPool pool)
      throws IOException {
    var router =
        new HttpRouter(
            new StatusRoutes(engine, identity),
            new InferRoutes(engine, pool, maxInputSize),
            new RepositoryRoutes(models, pool, maxInputSize));
    var monitor = new DisconnectMonitor();
    var connections = new DirectConnections(monitor);
    var server =
        WebServer.builder()
            .host(address)
            .port(port)
            .shutdownHook(false) // InferenceServer stops it
            .shutdownGracePeriod(grace)
            .backlog(4096)
            // Without it a response of several writes waits up to 40 ms for the client's ACK.
            .connectionOptions(socket -> socket.tcpNoDelay(true))
            .protocolsDiscoverServices(false)
            .addConnectionSelector(connections)
            .contentEncoding(new PassThroughEncoding())
            .directHandlers(jsonErrors())
            .routing(routing -> routing.any(router))
            .build()
            .start();
    if (!server.isRunning()) {
      throw new IOException("cannot listen for HTTP at %s:%d".formatted(address, port));
    }
    monitor.start();
    return new HttpTransport(server, connections, monitor);
  }

  private HttpTransport(
      WebServer server, DirectConnections connections, DisconnectMonitor monitor) {
    this.server = server;
    this.connections = connections;
    this.monitor = monitor;
  }

  /** The bound port. */
  public int port() {
    return server.port();
  }

  /** Closes new connections; open ones are served on. */
  public void refuseConnections() {
    connections.refuse();
  }

  /**
   * Closes the listener and idle connections, and waits for running requests.
   *
   * @param grace the longest wait
   * @return whether all requests ended in time
   */
  public boolean stop(Duration grace) {
    Thread stopping = Thread.ofPlatform().name("http stop").daemon().start(server::stop);
    boolean ended = false;
    try {
      ended = stopping.join(grace);
    } catch (InterruptedException hurried) {
      Thread.currentThread().interrupt();
    }
    monitor.close();
    return ended;
  }

  /** JSON errors for requests that reach no handler, such as those with a malformed line. */
  private static DirectHandlers jsonErrors() {
    DirectHandlers.Builder handlers = DirectHandlers.builder();
    for (DirectHandler.EventType type : DirectHandler.EventType.values()) {
      handlers.addHandler(type, HttpTransport::error);
    }
    return handlers.build();
  }

  private static DirectHandler.TransportResponse error(
      DirectHandler.TransportRequest request,
      DirectHandler.EventType type,
      Status status,
      ServerResponseHeaders headers,
      @Nullable String message) {
    return DirectHandler.TransportResponse.builder()
        .status(status)
        .headers(headers)
        .header(HeaderNames.CONTENT_TYPE, "application/json")
        .entity(JsonResponseWriter.error(message == null ? status.reasonPhrase() : message))
        .build();
  }
}

package io.nereid.server.http;

import com.google.gson.JsonObject;
import io.helidon.http.DirectHandler;
import io.helidon.http.HeaderNames;
import io.helidon.http.ServerResponseHeaders;
import io.helidon.http.Status;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.DirectHandlers;
import io.nereid.server.engine.InferenceEngine;
import io.nereid.server.engine.ServerIdentity;
import io.nereid.server.memory.BufferPool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The listener for REST. */
public final class HttpTransport {
  private final WebServer server;
  private final DirectConnections connections;
  private final DisconnectMonitor watch;

  /**
   * Starts to listen.
   *
   * @param port 0 for any free one
   * @param maxInputSize {@code --http-max-input-size}
   * @param grace how long {@link #stop} lets requests under way finish
   * @throws IOException if the address cannot be bound
   */
  public static HttpTransport start(
      String address,
      int port,
      long maxInputSize,
      Duration grace,
      InferenceEngine engine,
      ServerIdentity identity,
      BufferPool pool)
      throws IOException {
    var router =
        new HttpRouter(
            new HealthRoutes(engine),
            new MetadataRoutes(engine, identity),
            new StatisticsRoutes(engine),
            new InferRoutes(engine, pool, maxInputSize));
    var watch = new DisconnectMonitor();
    var connections = new DirectConnections(watch);
    var server =
        WebServer.builder()
            .host(address)
            .port(port)
            .shutdownHook(false) // we stop it ourselves, first of all
            .shutdownGracePeriod(grace)
            .backlog(4096)
            // Without it an answer of several writes waits some 40 ms for the client's
            // acknowledgement.
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
    watch.start();
    return new HttpTransport(server, connections, watch);
  }

  private HttpTransport(WebServer server, DirectConnections connections, DisconnectMonitor watch) {
    this.server = server;
    this.connections = connections;
    this.watch = watch;
  }

  /** The port that it listens on. */
  public int port() {
    return server.port();
  }

  /** Serves the connections that there are, and no others. */
  public void refuseConnections() {
    connections.refuse();
  }

  /**
   * Takes no new connections, closes idle ones, and waits for requests under way.
   *
   * @param grace how long; what is left then ends with its model, or with the process
   * @return whether that was long enough
   */
  public boolean stop(Duration grace) {
    Thread stopping = Thread.ofPlatform().name("http stop").daemon().start(server::stop);
    boolean ended = false;
    try {
      ended = stopping.join(grace);
    } catch (InterruptedException hurried) {
      Thread.currentThread().interrupt();
    }
    watch.close();
    return ended;
  }

  /**
   * What never reaches a handler (a malformed request line, say) is answered in the same form as
   * all other errors.
   */
  private static DirectHandlers jsonErrors() {
    DirectHandlers.Builder handlers = DirectHandlers.builder();
    for (DirectHandler.EventType type : DirectHandler.EventType.values()) {
      handlers.addHandler(type, HttpTransport::refuse);
    }
    return handlers.build();
  }

  private static DirectHandler.TransportResponse refuse(
      DirectHandler.TransportRequest request,
      DirectHandler.EventType type,
      Status status,
      ServerResponseHeaders headers,
      @Nullable String message) {
    var body = new JsonObject();
    body.addProperty("error", message == null ? status.reasonPhrase() : message);
    return DirectHandler.TransportResponse.builder()
        .status(status)
        .headers(headers)
        .header(HeaderNames.CONTENT_TYPE, "application/json")
        .entity(body.toString().getBytes(StandardCharsets.UTF_8))
        .build();
  }
}

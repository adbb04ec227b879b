package io.nereid.server.http.connection;

import io.helidon.service.registry.GlobalServiceRegistry;
import io.helidon.service.registry.ServiceRegistry;
import io.helidon.service.registry.ServiceRegistryConfig;
import io.helidon.service.registry.ServiceRegistryManager;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.WebServerConfig;
import io.nereid.engine.telemetry.refusal.Refusals;
import io.nereid.server.frontend.FrontEnd;
import io.nereid.server.http.limits.ConnectionLimits;
import io.nereid.server.http.limits.HttpRefusal;
import io.nereid.server.security.ServerTls;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/** A listener of HTTP/1.1, on Helidon. */
public final class HttpListener implements FrontEnd {
  /** How long Helidon waits for threads whose connections are closed. */
  private static final Duration CLOSING = Duration.ofMillis(500);

  private final Acceptor acceptor;
  private final OpenConnections open;
  private final DisconnectMonitor monitor;
  private final Runnable deadlines;
  private final Refusals<HttpRefusal> refusals;
  private final ListenerSettings settings;

  /**
   * Has Helidon use no services in this process. A listener needs none, and to find them Helidon
   * reads what all jars say of theirs, a tenth of a start. Without effect once it has done so.
   */
  public static void excludeServices() {
    var _ = GlobalServiceRegistry.registry(HttpListener::emptyRegistry);
  }

  private static ServiceRegistry emptyRegistry() {
    return ServiceRegistryManager.create(
            ServiceRegistryConfig.builder()
                .discoverServices(false)
                .discoverServicesFromServiceLoader(false)
                .build())
        .registry();
  }

  /**
   * A listener that is to {@link #start}.
   *
   * @param tls empty for plain text
   * @param refusals counts what is refused
   */
  public static HttpListener of(
      ListenerSettings settings,
      Optional<ServerTls> tls,
      Refusals<HttpRefusal> refusals,
      HttpHandler handler) {
    return new HttpListener(settings, tls, refusals, handler, System::nanoTime);
  }

  /**
   * A listener that is to {@link #start}.
   *
   * @param clock nanoseconds from any origin, for deadlines
   */
  HttpListener(
      ListenerSettings settings,
      Optional<ServerTls> tls,
      Refusals<HttpRefusal> refusals,
      HttpHandler handler,
      LongSupplier clock) {
    this.settings = settings;
    this.refusals = refusals;
    monitor = new DisconnectMonitor();
    open = new OpenConnections(monitor, settings.limits(), refusals);
    var accepted = new AcceptedChannels(open, tls.isEmpty());
    acceptor =
        new Acceptor(
            port -> config(settings, tls, handler, open, accepted, port), accepted::endAll);
    deadlines =
        () -> {
          accepted.endClosed();
          open.check(clock.getAsLong());
          acceptor.restartIfEnded();
        };
  }

  private static WebServerConfig config(
      ListenerSettings settings,
      Optional<ServerTls> tls,
      HttpHandler handler,
      OpenConnections open,
      AcceptedChannels accepted,
      int port) {
    ConnectionLimits limits = settings.limits();
    return WebServer.builder()
        .host(settings.listener().address())
        .port(port)
        .shutdownHook(false) // the composition root stops it
        .shutdownGracePeriod(CLOSING)
        .backlog(4096)
        .listenerSocketOptions(
            Map.of(StandardSocketOptions.SO_REUSEPORT, settings.listener().reusesPort()))
        // Helidon stops to listen for good once too many files are open.
        .maxTcpConnections(limits.maxConnections() + 2 * limits.refusedAtOnce())
        .connectionOptions(accepted)
        .protocolsDiscoverServices(false)
        .addConnectionSelector(
            new Http1Selector(handler, settings.headLimits(), open, accepted, tls))
        .buildPrototype();
  }

  @Override
  public HttpListener start() throws IOException {
    if (!acceptor.start(settings.listener().port())) {
      throw new IOException(
          "cannot listen for %s at %s:%d"
              .formatted(
                  settings.name(), settings.listener().address(), settings.listener().port()));
    }
    monitor.start(deadlines);
    return this;
  }

  /** Whether connections are accepted, and their deadlines are checked. */
  @Override
  public boolean isWorking() {
    return monitor.isWorking() && acceptor.isListening();
  }

  Acceptor acceptor() {
    return acceptor;
  }

  /** The number of open connections. */
  public int connections() {
    return open.count();
  }

  /** How many of them wait for a request. */
  public int idleConnections() {
    return open.idle();
  }

  /** What was refused of clients, or ended. */
  public Refusals<HttpRefusal> refusals() {
    return refusals;
  }

  /** Checks all deadlines, as the monitor does several times a second. */
  void checkDeadlines() {
    deadlines.run();
  }

  @Override
  public int port() {
    return acceptor.port();
  }

  /** Answers new connections with 503 and ends them; open ones are served on. */
  @Override
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
  @Override
  public boolean stop(Duration grace) {
    boolean inTime = false;
    try {
      inTime = open.stop(grace);
    } catch (InterruptedException hurried) {
      Thread.currentThread().interrupt();
    }
    acceptor.stop();
    monitor.close();
    return inTime;
  }
}

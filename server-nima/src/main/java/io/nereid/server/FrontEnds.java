package io.nereid.server;

import io.nereid.engine.EngineParts;
import io.nereid.error.InferenceException;
import io.nereid.server.frontend.FrontEnd;
import io.nereid.server.frontend.FrontEndCatalog;
import io.nereid.server.frontend.FrontEndServices;
import io.nereid.server.frontend.Listener;
import io.nereid.server.grpc.GrpcSettings;
import io.nereid.server.grpc.GrpcTransport;
import io.nereid.server.http.HttpSettings;
import io.nereid.server.http.HttpTransport;
import io.nereid.server.http.connection.HttpListener;
import io.nereid.server.http.connection.ListenerSettings;
import io.nereid.server.http.console.ConsoleRoutes;
import io.nereid.server.http.message.HeadLimits;
import io.nereid.server.metrics.MetricsPage;
import io.nereid.server.metrics.MetricsTransport;
import io.nereid.server.metrics.ServerStatus;
import io.nereid.server.metrics.gpu.GpuMetricsRunner;
import io.nereid.server.options.ModelControlExposure;
import io.nereid.server.options.ServerOptions;
import io.nereid.server.options.frontend.HttpLimitOptions;
import io.nereid.server.process.OpenFiles;
import io.nereid.server.security.CertificateWatch;
import io.nereid.server.security.ListenerSecurity;
import io.nereid.server.security.ServerTls;
import io.nereid.server.security.TlsSettings;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The front ends of a server with their certificates: HTTP, gRPC, those of optional parts, and
 * metrics. One thread makes them, one starts them, and one, perhaps at the same time, stops them.
 */
final class FrontEnds implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(FrontEnds.class.getName());

  /** The interval between looks at the files of certificates. */
  private static final Duration CERTIFICATE_INTERVAL = Duration.ofSeconds(5);

  /** The time that idle connections get to close when requests have no time left. */
  private static final long MIN_STOP_NANOS = 100_000_000;

  /**
   * A front end.
   *
   * @param service as the log calls it
   * @param servesToTheEnd whether it is stopped last, since it tells of the others
   */
  private record Served(
      String service, Listener listener, FrontEnd frontEnd, boolean servesToTheEnd) {}

  private final ServerOptions options;
  private final ListenerSecurity httpSecurity;
  private final ListenerSecurity grpcSecurity;
  private final CertificateWatch certificates;

  /** Those that were made, in the order in which they start; replaced under the lock. */
  private volatile List<Served> served = List.of();

  private @Nullable GpuMetricsRunner gpus;

  /** Whether the server stops, which a signal may demand while it starts. */
  private boolean refusing;

  /** Reads the certificates; fails as {@link ServerTls#open} does. */
  FrontEnds(ServerOptions options) {
    this.options = options;
    httpSecurity =
        new ListenerSecurity(
            options.tls().http().map(FrontEnds::open), options.restrictions().http());
    grpcSecurity =
        new ListenerSecurity(
            options.tls().grpc().map(FrontEnds::open), options.restrictions().grpc());
    certificates =
        CertificateWatch.start(
            Stream.of(httpSecurity, grpcSecurity).flatMap(each -> each.tls().stream()).toList(),
            CERTIFICATE_INTERVAL);
  }

  private static ServerTls open(TlsSettings settings) {
    return ServerTls.open(settings, InstantSource.system());
  }

  /**
   * Checks that HTTP, gRPC and metrics can listen, before models load for minutes.
   *
   * @throws IOException if an address cannot be bound
   */
  void requireFree() throws IOException {
    for (Listener each : options.listeners()) {
      each.requireFree();
    }
  }

  /**
   * Makes the front ends, which takes a tenth of a start. None listens yet. Makes none if {@link
   * #refuseConnections} was called.
   *
   * @throws IOException if an address cannot be bound
   * @throws InferenceException if an optional part is missing, or its settings are not valid
   */
  synchronized void prepare(FrontEndServices services, EngineParts engine) throws IOException {
    if (refusing) {
      return;
    }
    OpenFiles files = OpenFiles.left();
    Optional<GrpcTransport> grpc = Optional.empty();
    if (options.grpc().isAllowed()) {
      grpc = Optional.of(grpc(files, services));
      add("GRPCInferenceService", options.grpc().listener(), grpc.get(), false);
    }
    Optional<HttpListener> http = Optional.empty();
    if (options.http().isAllowed()) {
      http =
          Optional.of(
              HttpTransport.listener(
                  httpSettings(files), httpSecurity, services, console(services, engine)));
      add("HTTPService", options.http().listener(), http.get(), false);
    }
    FrontEndCatalog parts = FrontEndCatalog.of(options.frontEnds());
    for (FrontEndCatalog.Wanted part : parts.wanted(options.http().listener().address())) {
      part.listener().requireFree();
      add(part.listener().name(), part.listener(), parts.open(part, services), false);
    }
    if (options.metrics().isAllowed()) {
      MetricsPage page = metricsPage(services, engine, http, grpc);
      add("Metrics Service", options.metricsListener(), metrics(files, page), true);
    }
  }

  private void add(String service, Listener listener, FrontEnd frontEnd, boolean servesToTheEnd) {
    served =
        Stream.concat(
                served.stream(), Stream.of(new Served(service, listener, frontEnd, servesToTheEnd)))
            .toList();
  }

  private GrpcTransport grpc(OpenFiles files, FrontEndServices services) throws IOException {
    GrpcSettings wanted = options.grpc().settings(options.overload().clientHeader());
    try {
      return GrpcTransport.of(
          wanted.withLimits(files.grpc(wanted.limits(), options.grpc().maxConnectionsPerClient())),
          grpcSecurity,
          services);
    } catch (LinkageError unsuitable) { // the program that embeds the server has chosen libraries
      throw new IOException(
          "cannot serve gRPC (--allow-grpc): it needs grpc-netty 1.79 or later and Netty 4.1 or 4.2"
              + " on the class path: "
              + unsuitable,
          unsuitable);
    }
  }

  private Optional<ConsoleRoutes> console(FrontEndServices services, EngineParts engine) {
    return options
        .http()
        .console()
        .map(settings ->
            new ConsoleRoutes(
                settings,
                services,
                engine.watchedDecisions().orElseThrow(),
                options.models().sources(),
                options.shown()));
  }

  private HttpSettings httpSettings(OpenFiles files) {
    HttpLimitOptions limits = options.httpLimits();
    return new HttpSettings(
        new ListenerSettings(
            "HTTP",
            options.http().listener(),
            limits.head(),
            files.http(limits.connections(), limits.maxConnectionsPerClient())),
        options.http().maxInputSize(),
        limits.maxRequests(),
        options.http().forwarding(),
        options.overload().clientHeader(),
        options.http().origins(),
        options.http().textApi().orElse(options.models().isTextModel()));
  }

  private MetricsPage metricsPage(
      FrontEndServices services,
      EngineParts engine,
      Optional<HttpListener> http,
      Optional<GrpcTransport> grpc) {
    GpuMetricsRunner runner =
        options.metrics().allowsGpu()
            ? GpuMetricsRunner.start(options.metrics().content().interval())
            : null;
    gpus = runner;
    return new MetricsPage(
        options.metrics().content(),
        new MetricsPage.Sources(
            () -> status(services),
            services.engine()::metrics,
            engine.models()::lifeCycle,
            engine.backends()::metrics,
            new MetricsPage.Memory(
                services.memory().pool(), services.memory().requests(), engine.caching()),
            new MetricsPage.Clients(
                http,
                grpc.map(GrpcTransport::connections),
                services.runtime().accessLog(),
                engine.traces()),
            runner == null
                ? MetricsPage.Gpus.NONE
                : new MetricsPage.Gpus(runner::latest, runner::uuids)));
  }

  private ServerStatus status(FrontEndServices services) {
    Map<String, Instant> expiries = new HashMap<>();
    httpSecurity.tls().ifPresent(tls -> expiries.put("http", tls.expiry()));
    grpcSecurity.tls().ifPresent(tls -> expiries.put("grpc", tls.expiry()));
    return new ServerStatus(
        ServerVersion.TEXT,
        services.engine().isReady(),
        expiries,
        services.runtime().log().lostLines());
  }

  private HttpListener metrics(OpenFiles files, MetricsPage page) {
    return MetricsTransport.listener(
        new ListenerSettings(
            "metrics",
            options.metricsListener(),
            HeadLimits.DEFAULT,
            files.metrics(options.metrics().maxConnectionsPerClient())),
        options.tls().coversMetrics() ? httpSecurity.tls() : Optional.empty(),
        page);
  }

  /**
   * Starts to listen, unless {@link #refuseConnections} was called; after {@link #prepare}.
   *
   * @throws IOException if an address cannot be bound
   */
  synchronized void listen() throws IOException {
    if (refusing) {
      return;
    }
    ModelControlExposure.warning(options).ifPresent(text -> LOG.log(Level.WARNING, "{0}", text));
    for (Served each : served) {
      each.listener.requireFree();
      int port = each.frontEnd.start().port();
      LOG.log(
          Level.INFO,
          "Started {0} at {1}:{2}",
          each.service,
          each.listener.address(),
          Integer.toString(port));
    }
  }

  /** Whether the threads of the front ends do their work. */
  boolean areWorking() {
    return served.stream().allMatch(each -> each.frontEnd.isWorking());
  }

  /** Has the files of TLS read again now, and not only after the interval. */
  void reloadCertificates() {
    certificates.reload();
  }

  /** The port of the front end of that name, if it is served. */
  int port(String name) {
    return served.stream()
        .filter(each -> each.listener.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException(name + " is not served"))
        .frontEnd
        .port();
  }

  /** Refuses new connections; open ones are served on. */
  synchronized void refuseConnections() {
    refusing = true;
    serving().forEach(FrontEnd::refuseConnections);
  }

  /** The front ends but the metrics. */
  private List<FrontEnd> serving() {
    return served.stream().filter(each -> !each.servesToTheEnd).map(Served::frontEnd).toList();
  }

  /**
   * Stops HTTP and gRPC, all at the same time; behind {@link #refuseConnections}.
   *
   * @param deadline when requests are cut off, by {@code System.nanoTime}
   * @return whether none was cut off
   */
  boolean stop(long deadline) {
    List<CompletableFuture<Boolean>> stops =
        serving().stream()
            .map(each ->
                CompletableFuture.supplyAsync(
                    () -> each.stop(left(deadline)),
                    Thread.ofPlatform().name("front end stop")::start))
            .toList();
    return stops.stream().map(CompletableFuture::join).reduce(true, Boolean::logicalAnd);
  }

  /**
   * Stops the metrics, which are served until all else has stopped, and the look at certificates.
   */
  @Override
  public synchronized void close() {
    for (Served each : served) {
      if (each.servesToTheEnd) {
        var _ = each.frontEnd.stop(Duration.ofNanos(MIN_STOP_NANOS));
      }
    }
    if (gpus != null) {
      gpus.close();
    }
    certificates.close();
  }

  /** What is left for requests, at least {@link #MIN_STOP_NANOS}. */
  private static Duration left(long deadline) {
    return Duration.ofNanos(Math.max(MIN_STOP_NANOS, deadline - System.nanoTime()));
  }
}

package io.nereid.server;

import io.nereid.engine.cache.ResponseCaching;
import io.nereid.engine.telemetry.statistics.LifeCycleSnapshot;
import io.nereid.engine.telemetry.trace.TraceSink;
import io.nereid.server.doctor.Listener;
import io.nereid.server.frontend.FrontEndServices;
import io.nereid.server.grpc.GrpcSettings;
import io.nereid.server.grpc.GrpcTransport;
import io.nereid.server.http.HttpSettings;
import io.nereid.server.http.HttpTransport;
import io.nereid.server.http.connection.HttpListener;
import io.nereid.server.http.connection.ListenerSettings;
import io.nereid.server.http.limits.ConnectionLimits;
import io.nereid.server.http.message.HeadLimits;
import io.nereid.server.metrics.MetricsPage;
import io.nereid.server.metrics.MetricsTransport;
import io.nereid.server.metrics.gpu.GpuMetricsRunner;
import io.nereid.server.options.ServerOptions;
import io.nereid.server.security.CertificateWatch;
import io.nereid.server.security.ListenerSecurity;
import io.nereid.server.security.ServerTls;
import io.nereid.server.security.TlsSettings;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The listeners of a server with their certificates: HTTP, gRPC and metrics. One thread makes them,
 * one starts them, and one, perhaps at the same time, stops them.
 */
final class FrontEnds {
  private static final System.Logger LOG = System.getLogger(FrontEnds.class.getName());

  /** The interval between looks at the files of certificates. */
  private static final Duration CERTIFICATE_INTERVAL = Duration.ofSeconds(5);

  /** The time that idle connections get to close when the exit timeout has expired. */
  private static final long MIN_STOP_NANOS = 1_000_000_000;

  /** The limit of connections to the metrics, which few clients read. */
  private static final int MAX_METRICS_CONNECTIONS = 1_000;

  private final ServerOptions options;
  private final ListenerSecurity httpSecurity;
  private final ListenerSecurity grpcSecurity;
  private final CertificateWatch certificates;
  private volatile @Nullable HttpListener http;
  private @Nullable GrpcTransport grpc;
  private volatile @Nullable HttpListener metrics;
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
   * Makes the listeners, which takes a tenth of a start. None listens yet.
   *
   * @throws IOException if an address cannot be bound
   */
  synchronized void prepare(
      FrontEndServices services,
      Supplier<LifeCycleSnapshot> lifeCycle,
      Optional<ResponseCaching> caching,
      TraceSink traces)
      throws IOException {
    OpenFiles files = OpenFiles.left();
    if (options.grpc().isAllowed()) {
      requireFree(grpcListener());
      GrpcSettings wanted = options.grpc().settings();
      grpc =
          GrpcTransport.of(
              wanted.withMaxConnections(files.grpc(wanted.limits().maxConnections())),
              grpcSecurity,
              services);
    }
    if (options.http().isAllowed()) {
      requireFree(httpListener());
      ConnectionLimits limits = options.httpLimits().connections();
      var settings =
          new HttpSettings(
              new ListenerSettings(
                  "HTTP",
                  options.http().address(),
                  options.http().port(),
                  options.http().reusesPort(),
                  options.httpLimits().head(),
                  limits.withMaxConnections(files.http(limits.maxConnections()))),
              options.http().maxInputSize(),
              options.httpLimits().maxRequests(),
              options.http().forwarding(),
              options.http().origins());
      http = HttpTransport.listener(settings, httpSecurity, services);
    }
    if (options.metrics().isAllowed()) {
      requireFree(metricsListener());
      GpuMetricsRunner runner =
          options.metrics().allowsGpu()
              ? GpuMetricsRunner.start(options.metrics().content().interval())
              : null;
      gpus = runner;
      var page =
          new MetricsPage(
              options.metrics().content(),
              new MetricsPage.Sources(
                  services.engine()::metrics,
                  lifeCycle,
                  services.pool(),
                  services.requestMemory(),
                  caching,
                  traces,
                  Optional.ofNullable(http),
                  Optional.ofNullable(grpc).map(GrpcTransport::connections),
                  services.runtime().accessLog(),
                  runner == null ? List::of : runner::latest,
                  runner == null ? List::of : runner::uuids));
      metrics =
          MetricsTransport.listener(
              new ListenerSettings(
                  "metrics",
                  options.metricsAddress(),
                  options.metrics().port(),
                  false,
                  HeadLimits.DEFAULT,
                  ConnectionLimits.DEFAULT.withMaxConnections(
                      files.metrics(MAX_METRICS_CONNECTIONS))),
              options.tls().coversMetrics() ? httpSecurity.tls() : Optional.empty(),
              page);
    }
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
    OpenRepository.warning(options, grpcListener(), httpListener())
        .ifPresent(text -> LOG.log(Level.WARNING, "{0}", text));
    if (grpc != null) {
      requireFree(grpcListener());
      announce("GRPCInferenceService", options.grpc().settings().address(), grpc.start().port());
    }
    if (http != null) {
      requireFree(httpListener());
      announce("HTTPService", options.http().address(), http.start().port());
    }
    if (metrics != null) {
      requireFree(metricsListener());
      announce("Metrics Service", options.metricsAddress(), metrics.start().port());
    }
  }

  private Listener grpcListener() {
    return new Listener(
        "grpc",
        options.grpc().settings().address(),
        options.grpc().port(),
        options.grpc().reusesPort());
  }

  private Listener httpListener() {
    return new Listener(
        "http", options.http().address(), options.http().port(), options.http().reusesPort());
  }

  private Listener metricsListener() {
    return new Listener("metrics", options.metricsAddress(), options.metrics().port(), false);
  }

  /**
   * Checks that a listener can be bound. A message of this method names the options; Helidon would
   * only log the failure.
   */
  private static void requireFree(Listener listener) throws IOException {
    Optional<String> obstacle = listener.obstacle();
    if (obstacle.isPresent()) {
      throw new IOException(
          "cannot listen at %s (--%s-address, --%s-port): %s"
              .formatted(listener.place(), listener.name(), listener.name(), obstacle.get()));
    }
  }

  private static void announce(String service, String address, int port) {
    LOG.log(Level.INFO, "Started {0} at {1}:{2}", service, address, Integer.toString(port));
  }

  /** Whether the threads of the listeners do their work. */
  boolean areWorking() {
    return Stream.of(Optional.ofNullable(http), Optional.ofNullable(metrics))
        .flatMap(Optional::stream)
        .allMatch(HttpListener::isWorking);
  }

  /** Has the files of TLS read again now, and not only after the interval. */
  void reloadCertificates() {
    certificates.reload();
  }

  /** The port of HTTP, if it is served. */
  int httpPort() {
    return Objects.requireNonNull(http, "HTTP is not served").port();
  }

  /** The port of gRPC, if it is served. */
  int grpcPort() {
    return Objects.requireNonNull(grpc, "gRPC is not served").port();
  }

  /** The port of the metrics, if they are served. */
  int metricsPort() {
    return Objects.requireNonNull(metrics, "metrics are not served").port();
  }

  /** Refuses new connections; open ones are served on. */
  synchronized void refuseConnections() {
    refusing = true;
    if (http != null) {
      http.refuseConnections();
    }
    if (grpc != null) {
      grpc.refuseConnections();
    }
  }

  /**
   * Stops HTTP and gRPC, both at the same time.
   *
   * @param deadline when requests are cut off, by {@code System.nanoTime}
   * @return whether none was cut off
   */
  boolean stop(long deadline) {
    certificates.close();
    var grpcStop = new FutureTask<>(() -> grpc == null || grpc.stop(left(deadline)));
    Thread.ofPlatform().name("grpc stop").start(grpcStop);
    boolean httpInTime = http == null || http.stop(left(deadline));
    try {
      return grpcStop.get() && httpInTime;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException bug) {
      throw new IllegalStateException("gRPC did not stop", bug);
    }
  }

  /** Stops the metrics. */
  void stopMetrics() {
    if (metrics != null) {
      metrics.stop(Duration.ofNanos(MIN_STOP_NANOS));
    }
    if (gpus != null) {
      gpus.close();
    }
  }

  /** What is left of the exit timeout, at least {@link #MIN_STOP_NANOS}. */
  private static Duration left(long deadline) {
    return Duration.ofNanos(Math.max(MIN_STOP_NANOS, deadline - System.nanoTime()));
  }
}

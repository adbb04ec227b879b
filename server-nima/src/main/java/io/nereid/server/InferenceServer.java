package io.nereid.server;

import io.nereid.error.InferenceException;
import io.nereid.server.backend.BackendCatalog;
import io.nereid.server.cache.CacheCatalog;
import io.nereid.server.cache.ResponseCaching;
import io.nereid.server.doctor.Listener;
import io.nereid.server.engine.InferenceEngine;
import io.nereid.server.engine.ServerIdentity;
import io.nereid.server.grpc.GrpcSettings;
import io.nereid.server.grpc.GrpcTransport;
import io.nereid.server.http.HttpSettings;
import io.nereid.server.http.HttpTransport;
import io.nereid.server.http.connection.HttpListener;
import io.nereid.server.http.connection.ListenerSettings;
import io.nereid.server.memory.ArenaAllocator;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.memory.MemorySettings;
import io.nereid.server.memory.RequestMemory;
import io.nereid.server.memory.SlabPool;
import io.nereid.server.metrics.MetricsPage;
import io.nereid.server.metrics.MetricsTransport;
import io.nereid.server.model.LoadedModel;
import io.nereid.server.model.ModelRegistry;
import io.nereid.server.model.config.conversion.SchedulingMessages;
import io.nereid.server.model.control.ModelManager;
import io.nereid.server.model.loading.LoaderSettings;
import io.nereid.server.model.repository.Repositories;
import io.nereid.server.options.ServerOptions;
import io.nereid.server.scheduling.DecisionJournal;
import io.nereid.server.scheduling.SystemClock;
import io.nereid.server.scheduling.journal.SchedulerJournal;
import io.nereid.server.scheduling.policy.QueueLimits;
import io.nereid.server.security.CertificateWatch;
import io.nereid.server.security.ListenerSecurity;
import io.nereid.server.security.ServerTls;
import io.nereid.server.security.TlsSettings;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The composition root: builds the server from the buffer pool up to the listeners. One thread
 * starts it and one thread closes it.
 */
public final class InferenceServer implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(InferenceServer.class.getName());

  /** The interval between trims of the pools; memory unused for one to two intervals is freed. */
  private static final long TRIM_SECONDS = 15;

  /** The interval between looks at the files of certificates. */
  private static final long CERTIFICATE_SECONDS = 5;

  /** The time that idle connections get to close when the exit timeout has expired. */
  private static final long MIN_STOP_NANOS = 1_000_000_000;

  /** Requests that may wait for a model's instances before the next one is rejected. */
  private static final int QUEUE_CAPACITY = 4096;

  private enum Phase {
    STARTING,
    SERVING,
    EXITING
  }

  private final ServerOptions options;
  private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.STARTING);
  private volatile boolean closedInTime;
  private final BufferPool pool;
  private final RequestMemory requestMemory;
  private final ScheduledExecutorService trimmer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("pool trim").factory());
  private final SystemClock clock = SystemClock.start();
  private final @Nullable SchedulerJournal journal;
  private final Optional<ResponseCaching> caching;
  private final Repositories repositories;
  private final BackendCatalog backends;
  private final ModelRegistry registry;
  private final ModelManager models;
  private final InferenceEngine engine;
  private final ServerIdentity identity;
  private final ListenerSecurity httpSecurity;
  private final ListenerSecurity grpcSecurity;
  private final CertificateWatch certificates;
  private @Nullable HttpListener http;
  private @Nullable GrpcTransport grpc;
  private @Nullable HttpListener metrics;

  /**
   * @throws IOException if the scheduler journal or the cache of object stores cannot be written
   */
  InferenceServer(ServerOptions options) throws IOException {
    this(options, new SlabPool(new ArenaAllocator(), options.memory().settings().maxTensorBytes()));
  }

  /**
   * @param pool closed with the server
   * @throws IOException if the scheduler journal or the cache of object stores cannot be written
   */
  InferenceServer(ServerOptions options, BufferPool pool) throws IOException {
    this.options = options;
    this.pool = pool;
    MemorySettings memory = options.memory().settings();
    requestMemory = new RequestMemory(memory.maxRequestBytes(), memory.maxClientBytes());
    httpSecurity =
        new ListenerSecurity(
            options.tls().http().map(InferenceServer::open), options.restrictions().http());
    grpcSecurity =
        new ListenerSecurity(
            options.tls().grpc().map(InferenceServer::open), options.restrictions().grpc());
    certificates =
        CertificateWatch.start(
            Stream.of(httpSecurity, grpcSecurity).flatMap(each -> each.tls().stream()).toList(),
            Duration.ofSeconds(CERTIFICATE_SECONDS));
    repositories =
        Repositories.open(
            options.models().repositories(), options.objectStores().settings(System.getenv()));
    Optional<Path> journalFile = options.schedulerJournal();
    journal =
        journalFile.isEmpty()
            ? null
            : SchedulerJournal.open(journalFile.get(), clock::nanos, SchedulingMessages::message);
    caching =
        CacheCatalog.open(options.cache().directory(), options.cache().settings())
            .map(cache -> new ResponseCaching(cache, pool, clock::nanos));
    backends = new BackendCatalog(options.backends().directory(), options.backends().settings());
    registry = new ModelRegistry();
    engine =
        new InferenceEngine(
            registry,
            clock,
            () -> phase.get() == Phase.SERVING,
            options.models().control().strictReadiness());
    models =
        new ModelManager(
            repositories.all(),
            options.models().control(),
            registry,
            new LoaderSettings(
                engine,
                backends,
                pool,
                memory.maxTensorBytes(),
                new QueueLimits(QUEUE_CAPACITY, options.overload().maxQueueWaitNanos()),
                clock,
                journal == null ? DecisionJournal.NONE : journal,
                options.rateLimit().limiter(),
                options.instances().hostPolicies(),
                options.metrics().latencies(),
                caching));
    identity = new ServerIdentity(options.id(), ServerVersion.TEXT, ServerVersion.EXTENSIONS);
  }

  /**
   * Loads the models, then listens.
   *
   * @throws InferenceException if a model fails to load and {@code --exit-on-error} is set
   * @throws IOException if an address cannot be bound
   */
  void start() throws IOException {
    var _ =
        trimmer.scheduleWithFixedDelay(
            this::trimPools, TRIM_SECONDS, TRIM_SECONDS, TimeUnit.SECONDS);
    LOG.log(Level.INFO, "backends found: {0}", backends.names());
    boolean allReady = models.loadAll();
    LOG.log(Level.INFO, "{0}", new ModelTable(models.index(false)));
    if (!allReady && options.models().exitsOnError()) {
      throw InferenceException.internal("failed to load all models");
    }
    if (options.grpc().isAllowed()) {
      GrpcSettings settings = options.grpc().settings();
      requireFree("grpc", settings.address(), settings.port());
      grpc =
          GrpcTransport.start(
              settings, grpcSecurity, engine, models, identity, pool, requestMemory);
      announce("GRPCInferenceService", settings.address(), grpc.port());
    }
    if (options.http().isAllowed()) {
      String address = options.http().address();
      requireFree("http", address, options.http().port());
      var settings =
          new HttpSettings(
              new ListenerSettings(
                  "HTTP",
                  address,
                  options.http().port(),
                  options.httpLimits().head(),
                  options.httpLimits().connections()),
              options.http().maxInputSize(),
              options.httpLimits().maxRequests());
      http =
          HttpTransport.start(
              settings, httpSecurity, engine, models, identity, pool, requestMemory);
      announce("HTTPService", address, http.port());
    }
    if (options.metrics().isAllowed()) {
      String address = options.metricsAddress();
      requireFree("metrics", address, options.metrics().port());
      var page =
          new MetricsPage(
              options.metrics().content(),
              engine::metrics,
              models::lifeCycle,
              pool,
              requestMemory,
              caching,
              Optional.ofNullable(http),
              Optional.ofNullable(grpc).map(GrpcTransport::connections));
      metrics =
          MetricsTransport.start(
              new ListenerSettings("metrics", address, options.metrics().port()),
              options.tls().coversMetrics() ? httpSecurity.tls() : Optional.empty(),
              page);
      announce("Metrics Service", address, metrics.port());
    }
    phase.set(Phase.SERVING);
  }

  private static ServerTls open(TlsSettings settings) {
    return ServerTls.open(settings, InstantSource.system());
  }

  private void trimPools() {
    try {
      Stream.concat(Stream.of(pool), registry.ready().stream().map(LoadedModel::inputPool))
          .distinct() // a second trim at once would free what is in use all the time
          .forEach(BufferPool::trim);
    } catch (RuntimeException failed) { // by a backend's allocator; the next trim tries again
      LOG.log(Level.ERROR, "free memory could not be released", failed);
    }
  }

  /**
   * Checks that a listener can be bound. A message of this method names the options; Helidon would
   * only log the failure.
   */
  private static void requireFree(String listener, String address, int port) throws IOException {
    Optional<String> obstacle = new Listener(listener, address, port).obstacle();
    if (obstacle.isPresent()) {
      throw new IOException(
          "cannot listen at %s:%d (--%s-address, --%s-port): %s"
              .formatted(address, port, listener, listener, obstacle.get()));
    }
  }

  private static void announce(String service, String address, int port) {
    LOG.log(Level.INFO, "Started {0} at {1}:{2}", service, address, Integer.toString(port));
  }

  /** Has the files of TLS read again now, and not only after the interval. */
  void reloadCertificates() {
    certificates.reload();
  }

  /** The port of HTTP, if it is served. */
  public int httpPort() {
    return Objects.requireNonNull(http, "HTTP is not served").port();
  }

  /** The port of gRPC, if it is served. */
  public int grpcPort() {
    return Objects.requireNonNull(grpc, "gRPC is not served").port();
  }

  /** The port of the metrics, if they are served. */
  public int metricsPort() {
    return Objects.requireNonNull(metrics, "metrics are not served").port();
  }

  /**
   * Stops the server. It is no longer ready and accepts no connections and no new requests; loads
   * that take long are cancelled; requests in flight and live sequences, whose clients keep their
   * connections, have the exit timeout to finish. Then models, backends and memory are closed.
   */
  @Override
  public void close() {
    if (phase.getAndSet(Phase.EXITING) == Phase.EXITING) {
      return;
    }
    long deadline = System.nanoTime() + options.exitTimeout().toNanos();
    if (http != null) {
      http.refuseConnections();
    }
    if (grpc != null) {
      grpc.refuseConnections();
    }
    backends.cancelLoads();
    boolean inTime = finishSequences(deadline);
    inTime &= stopFrontEnds(deadline);
    certificates.close();
    trimmer.close();
    models.close();
    repositories.close();
    clock.close();
    if (journal != null) {
      journal.close();
    }
    backends.close();
    caching.ifPresent(ResponseCaching::close);
    if (metrics != null) {
      metrics.stop(Duration.ofNanos(MIN_STOP_NANOS));
    }
    if (pool.outstanding() != 0) {
      LOG.log(Level.WARNING, "{0} leases were never released", pool.outstanding());
    }
    pool.close();
    closedInTime = inTime;
  }

  /** Stops both front ends at the same time; false if a request was cut off. */
  private boolean stopFrontEnds(long deadline) {
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

  /** Whether the server is closed and all requests and sequences ended within the exit timeout. */
  boolean isClosedInTime() {
    return closedInTime;
  }

  /** What is left of the exit timeout, at least {@link #MIN_STOP_NANOS}. */
  private static Duration left(long deadline) {
    return Duration.ofNanos(Math.max(MIN_STOP_NANOS, deadline - System.nanoTime()));
  }

  /** Rejects new requests and waits until no sequence is live; false if the timeout expires. */
  private boolean finishSequences(long deadline) {
    try {
      models.stop().get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException expired) {
      LOG.log(Level.WARNING, "sequences did not end within the exit timeout");
      return false;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException bug) {
      throw new IllegalStateException("a scheduler did not stop", bug);
    }
    return true;
  }
}

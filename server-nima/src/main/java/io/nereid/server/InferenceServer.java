package io.nereid.server;

import io.nereid.engine.InferenceEngine;
import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.cache.CacheCatalog;
import io.nereid.engine.cache.ResponseCaching;
import io.nereid.engine.memory.ArenaAllocator;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.HeapTrim;
import io.nereid.engine.memory.MemorySettings;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.memory.SlabPool;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.ModelRegistry;
import io.nereid.engine.model.config.conversion.SchedulingMessages;
import io.nereid.engine.model.control.ModelManager;
import io.nereid.engine.model.loading.LoaderSettings;
import io.nereid.engine.model.repository.Repositories;
import io.nereid.engine.scheduling.DecisionJournal;
import io.nereid.engine.scheduling.SystemClock;
import io.nereid.engine.scheduling.journal.SchedulerJournal;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.telemetry.trace.TraceDestination;
import io.nereid.engine.telemetry.trace.TraceSettings;
import io.nereid.engine.telemetry.trace.TraceSink;
import io.nereid.engine.telemetry.trace.Tracer;
import io.nereid.engine.telemetry.trace.export.ExportingSink;
import io.nereid.engine.telemetry.trace.export.TraceExporters;
import io.nereid.engine.telemetry.trace.file.TraceWriter;
import io.nereid.engine.thread.IntervalRunner;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.LongWork;
import io.nereid.server.frontend.FrontEndServices;
import io.nereid.server.frontend.RuntimeSettings;
import io.nereid.server.frontend.ServerIdentity;
import io.nereid.server.options.ServerOptions;
import io.nereid.server.telemetry.access.AccessLog;
import io.nereid.server.telemetry.logging.LogControl;
import io.nereid.server.warmup.ServerWarmup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
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

  /** The interval between trims; memory unused for one to two intervals is given back. */
  private static final Duration TRIM_INTERVAL = Duration.ofSeconds(15);

  /** Requests that may wait for a model's instances before the next one is rejected. */
  private static final int QUEUE_CAPACITY = 4096;

  private enum Phase {
    STARTING,
    SERVING,
    EXITING
  }

  private final ServerOptions options;
  private final LogControl log;
  private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.STARTING);
  private volatile boolean closedInTime;
  private final BufferPool pool;
  private final RequestMemory requestMemory;
  private final SharedRegions regions;
  private @Nullable IntervalRunner trimmer;

  /** Made by the thread that trims, since it takes milliseconds of a start; its alone. */
  private @Nullable HeapTrim heapTrim;

  private final SystemClock clock = SystemClock.start();
  private final @Nullable SchedulerJournal journal;
  private final TraceSink traces;
  private final Tracer tracer;
  private final Optional<AccessLog> accessLog;
  private final Optional<ResponseCaching> caching;
  private final Repositories repositories;
  private final BackendCatalog backends;
  private final ModelRegistry registry;
  private final ModelManager models;
  private final InferenceEngine engine;
  private final ServerIdentity identity;
  private final FrontEnds frontEnds;
  private final ServerWarmup warmup;

  /**
   * @throws IOException if the journal, the access log or the cache of object stores cannot be
   *     written
   */
  InferenceServer(ServerOptions options) throws IOException {
    this(options, unconfigured(options));
  }

  /**
   * @param log the log of the process
   * @throws IOException if the journal, the access log or the cache of object stores cannot be
   *     written
   */
  InferenceServer(ServerOptions options, LogControl log) throws IOException {
    this(
        options,
        log,
        new SlabPool(new ArenaAllocator(), options.memory().settings().maxTensorBytes()));
  }

  /**
   * @param pool closed with the server
   * @throws IOException if the journal, the access log or the cache of object stores cannot be
   *     written
   */
  InferenceServer(ServerOptions options, BufferPool pool) throws IOException {
    this(options, unconfigured(options), pool);
  }

  private InferenceServer(ServerOptions options, LogControl log, BufferPool pool)
      throws IOException {
    this.options = options;
    this.log = log;
    this.pool = pool;
    MemorySettings memory = options.memory().settings();
    requestMemory = new RequestMemory(memory.maxRequestBytes(), memory.maxClientBytes());
    frontEnds = new FrontEnds(options);
    repositories =
        Repositories.open(
            options.models().repositories(), options.objectStores().settings(System.getenv()));
    Optional<Path> journalFile = options.schedulerJournal();
    journal =
        journalFile.isEmpty()
            ? null
            : OptionFile.open(
                "--scheduler-journal",
                () ->
                    SchedulerJournal.open(
                        journalFile.get(), clock::nanos, SchedulingMessages::message));
    TraceSettings traceSettings = options.traces().settings(System.getenv());
    traces = traceSink(traceSettings.destination());
    tracer = new Tracer(traceSettings, options.clientSettings(), clock::nanos, traces);
    Optional<String> accessFile = options.log().accessLog();
    accessLog =
        accessFile.isEmpty()
            ? Optional.empty()
            : Optional.of(OptionFile.open("--access-log", () -> AccessLog.start(accessFile.get())));
    caching =
        CacheCatalog.open(options.cache().directory(), options.cache().settings())
            .map(cache -> new ResponseCaching(cache, pool, clock::nanos));
    backends = new BackendCatalog(options.backends().directory(), options.backends().settings());
    regions =
        options.sharedMemory().isAllowed()
            ? SharedRegions.open(OpenFiles.left().regions(), backends::openSharedMemory)
            : SharedRegions.disabled();
    registry = new ModelRegistry();
    engine =
        new InferenceEngine(
            registry,
            clock,
            this::isServing,
            options.models().control().strictReadiness(),
            options.memory().maxStringElements());
    warmup =
        new ServerWarmup(
            options.serverWarmup(),
            options.serverWarmupAfterReady(),
            options.http().isAllowed(),
            options.grpc().isAllowed(),
            engine::wasIdle);
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
                new QueueLimits(
                    QUEUE_CAPACITY,
                    options.overload().maxQueueWaitNanos(),
                    options.overload().maxClientSequences()),
                clock,
                journal == null ? DecisionJournal.NONE : journal,
                options.rateLimit().limiter(),
                options.instances().hostPolicies(),
                options.metrics().latencies(),
                caching));
    identity = new ServerIdentity(options.id(), ServerVersion.TEXT, ServerVersion.EXTENSIONS);
  }

  private TraceSink traceSink(TraceDestination destination) {
    return switch (destination) {
      case TraceDestination.Files(String path, _, _) when path.isEmpty() -> TraceSink.NONE;
      case TraceDestination.Files files ->
          TraceWriter.start(files, System.nanoTime() - clock.nanos());
      case TraceDestination.OpenTelemetry(List<Map.Entry<String, String>> settings) ->
          new ExportingSink(
              TraceExporters.open(
                  options.traces().exporterDirectory(),
                  destination.mode(),
                  settings,
                  System.getenv()),
              clock::nanos,
              Clock.systemUTC());
    };
  }

  /** The settings of a log that the program which embeds the server has configured itself. */
  private static LogControl unconfigured(ServerOptions options) {
    return new LogControl(options.log().settings(), options.clientSettings(), _ -> {});
  }

  /**
   * Loads the models; meanwhile makes the listeners and warms up. Then listens.
   *
   * @throws InferenceException if a model fails to load and {@code --exit-on-error} is set
   * @throws IOException if an address cannot be bound
   */
  void start() throws IOException {
    trimmer = IntervalRunner.start("trim", TRIM_INTERVAL, this::trim);
    LOG.log(Level.INFO, "backends found: {0}", backends.names());
    tracer
        .settings()
        .obstacle()
        .ifPresent(reason -> LOG.log(Level.WARNING, "no request is traced: {0}", reason));
    warmup.begin();
    CompletableFuture<Void> prepared =
        CompletableFuture.runAsync(
            this::prepareFrontEnds, Thread.ofPlatform().name("front ends")::start);
    boolean initialized;
    try {
      initialized = loadModels();
    } finally {
      prepared.exceptionally(_ -> null).join(); // before a failed start closes them
    }
    if (prepared.isCompletedExceptionally()) {
      switch (prepared.exceptionNow()) {
        case UncheckedIOException failed -> throw failed.getCause();
        case RuntimeException failed -> throw failed;
        case Throwable bug -> throw new IllegalStateException(bug);
      }
    }
    warmup.await();
    frontEnds.listen();
    if (initialized) {
      phase.compareAndSet(Phase.STARTING, Phase.SERVING);
    }
    warmup.ready();
  }

  /** Whether the server has started, is not stopping, and its threads do their work. */
  private boolean isServing() {
    return phase.get() == Phase.SERVING && clock.isWorking() && frontEnds.areWorking();
  }

  private void prepareFrontEnds() {
    try {
      frontEnds.prepare(
          new FrontEndServices(
              engine,
              models,
              new RuntimeSettings(log, tracer, accessLog),
              identity,
              pool,
              requestMemory,
              regions,
              new LongWork(Runtime.getRuntime().availableProcessors())),
          models::lifeCycle,
          caching,
          traces);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** Returns false if a repository cannot be read, and the server is to run without its models. */
  private boolean loadModels() {
    boolean allReady;
    try {
      allReady = models.loadAll();
    } catch (InferenceException failure) {
      if (options.models().exitsOnError()) {
        throw failure;
      }
      LOG.log(Level.ERROR, "failed to initialize: {0}", failure.getMessage());
      engine.initializationFailed();
      return false;
    }
    LOG.log(Level.INFO, "{0}", new ModelTable(models.index(false)));
    if (!allReady && options.models().exitsOnError()) {
      throw InferenceException.internal("failed to load all models");
    }
    return true;
  }

  private void trim() {
    Stream.concat(Stream.of(pool), registry.ready().stream().map(LoadedModel::inputPool))
        .distinct() // a second trim at once would free what is in use all the time
        .forEach(BufferPool::trim);
    if (heapTrim == null) {
      heapTrim = HeapTrim.ofProcess();
    }
    heapTrim.run();
  }

  FrontEnds frontEnds() {
    return frontEnds;
  }

  /** The port of HTTP, if it is served. */
  public int httpPort() {
    return frontEnds.httpPort();
  }

  /** The port of gRPC, if it is served. */
  public int grpcPort() {
    return frontEnds.grpcPort();
  }

  /** The port of the metrics, if they are served. */
  public int metricsPort() {
    return frontEnds.metricsPort();
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
    warmup.close();
    frontEnds.refuseConnections();
    backends.cancelLoads();
    boolean inTime = finishSequences(deadline);
    inTime &= frontEnds.stop(deadline);
    if (trimmer != null) {
      trimmer.close();
    }
    models.close();
    repositories.close();
    clock.close();
    if (journal != null) {
      journal.close();
    }
    accessLog.ifPresent(AccessLog::close);
    traces.close();
    regions.close(); // backends have opened some
    backends.close();
    caching.ifPresent(ResponseCaching::close);
    frontEnds.stopMetrics();
    if (pool.outstanding() != 0) {
      LOG.log(Level.WARNING, "{0} leases were never released", pool.outstanding());
    }
    pool.close();
    closedInTime = inTime;
  }

  /** Whether the server is closed and all requests and sequences ended within the exit timeout. */
  boolean isClosedInTime() {
    return closedInTime;
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
      return false;
    } catch (ExecutionException bug) {
      throw new IllegalStateException("a scheduler did not stop", bug);
    }
    return true;
  }
}

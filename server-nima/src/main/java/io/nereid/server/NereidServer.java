package io.nereid.server;

import io.nereid.engine.Engine;
import io.nereid.engine.EngineParts;
import io.nereid.engine.EngineSettings;
import io.nereid.engine.file.OptionFile;
import io.nereid.engine.memory.ArenaAllocator;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.MemorySettings;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.memory.SlabPool;
import io.nereid.engine.model.loading.ServingSettings;
import io.nereid.engine.thread.Started;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.LongWork;
import io.nereid.server.frontend.FrontEndMemory;
import io.nereid.server.frontend.FrontEndServices;
import io.nereid.server.frontend.RuntimeSettings;
import io.nereid.server.frontend.ServerIdentity;
import io.nereid.server.options.ServerOptions;
import io.nereid.server.process.OpenFiles;
import io.nereid.server.telemetry.access.AccessLog;
import io.nereid.server.telemetry.logging.LogControl;
import io.nereid.server.telemetry.logging.ModelTable;
import io.nereid.server.warmup.ServerWarmup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The composition root: an engine and the front ends on it. One thread starts it and one thread
 * closes it.
 */
public final class NereidServer implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(NereidServer.class.getName());

  private final ServerOptions options;
  private final Started started = new Started();
  private final LogControl log;
  private final RequestMemory requestMemory;
  private final FrontEnds frontEnds;
  private final EngineParts engine;
  private final Optional<AccessLog> accessLog;
  private final ServerWarmup warmup;
  private volatile boolean closedInTime;

  /**
   * @throws IOException if the journal, the access log or the cache of object stores cannot be
   *     written
   */
  NereidServer(ServerOptions options) throws IOException {
    this(options, unconfigured(options));
  }

  /**
   * @param log the log of the process
   * @throws IOException if the journal, the access log or the cache of object stores cannot be
   *     written
   */
  NereidServer(ServerOptions options, LogControl log) throws IOException {
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
  NereidServer(ServerOptions options, LogControl log, BufferPool pool) throws IOException {
    this.options = options;
    this.log = log;
    MemorySettings memory = options.memory().settings();
    requestMemory = new RequestMemory(memory.maxRequestBytes(), memory.maxClientBytes());
    try {
      frontEnds = new FrontEnds(options);
      started.add(frontEnds, frontEnds::close);
      Optional<String> accessFile = options.log().accessLog();
      accessLog =
          accessFile.isEmpty()
              ? Optional.empty()
              : Optional.of(
                  OptionFile.open(
                      "--access-log",
                      () -> AccessLog.start(accessFile.get(), options.log().givesRequestIds())));
      accessLog.ifPresent(access -> started.add(access, access::close));
      engine = new EngineParts(settings(options), pool, frontEnds::areWorking);
      started.add(engine, engine::close);
      warmup =
          new ServerWarmup(
              options.serverWarmup(),
              options.serverWarmupAfterReady(),
              options.http().isAllowed(),
              options.grpc().isAllowed(),
              engine.admission()::wasIdle);
    } catch (IOException | RuntimeException | Error failed) {
      try (started) {
        throw failed;
      }
    }
  }

  private static EngineSettings settings(ServerOptions options) {
    return new EngineSettings(
        new EngineSettings.Models(
            options.models().repositories(),
            options.models().bareModel(),
            options.objectStores().settings(System.getenv()),
            options.models().control()),
        new EngineSettings.Memory(
            options.memory().maxStringElements(),
            options.sharedMemory().isAllowed() ? OpenFiles.left().regions() : 0),
        new EngineSettings.Plugins(
            options.backends().plugins(), options.cache().plugins(), /* own= */ List.of()),
        new ServingSettings(
            options.memory().settings().maxTensorBytes(),
            options.overload().limits(),
            options.instances().limits(options.rateLimit().limiter()),
            options.metrics().latencies()),
        options.instances().executionLimit(),
        new EngineSettings.Telemetry(
            options.traces().settings(System.getenv()),
            options.traces().exporterDirectory(),
            options.clientSettings(),
            options.schedulerJournal(),
            options.http().console().isPresent()),
        /* collectsGarbage= */ true);
  }

  /** The settings of a log that the program which embeds the server has configured itself. */
  static LogControl unconfigured(ServerOptions options) {
    return new LogControl(options.log().settings(), options.clientSettings(), _ -> {});
  }

  /** The packages of the backends that were found. */
  Set<String> backendPackages() {
    return engine.backends().packages();
  }

  /**
   * Loads the models; meanwhile makes the listeners and warms up. Then listens.
   *
   * @throws InferenceException if a model fails to load and {@code --exit-on-error} is set
   * @throws IOException if an address cannot be bound
   */
  void start() throws IOException {
    frontEnds.requireFree();
    engine
        .tracer()
        .settings("")
        .obstacle()
        .ifPresent(reason -> LOG.log(Level.WARNING, "no request is traced: {0}", reason));
    CompletableFuture<FrontEndServices> prepared =
        CompletableFuture.supplyAsync(
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
    frontEnds.listen();
    if (initialized) {
      engine.serve();
    }
    warmup.goOn(prepared.resultNow());
  }

  private FrontEndServices prepareFrontEnds() {
    var services =
        new FrontEndServices(
            engine.admission(),
            engine.models(),
            new RuntimeSettings(log, engine.tracer(), accessLog),
            new ServerIdentity(options.id(), ServerVersion.TEXT, ServerVersion.EXTENSIONS),
            new FrontEndMemory(engine.pool(), requestMemory, engine.regions()),
            new LongWork(Runtime.getRuntime().availableProcessors()),
            engine.loadMeter());
    try {
      frontEnds.prepare(services, engine);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    warmup.run(services);
    return services;
  }

  /** Returns false if a repository cannot be read, and the server is to run without its models. */
  private boolean loadModels() {
    boolean allReady;
    try {
      allReady = engine.load();
    } catch (InferenceException failure) {
      if (options.models().exitsOnError()) {
        throw failure;
      }
      LOG.log(Level.ERROR, "failed to initialize: {0}", failure.getMessage());
      engine.admission().initializationFailed();
      return false;
    }
    LOG.log(Level.INFO, "{0}", new ModelTable(engine.models().index(false)));
    if (!allReady && options.models().exitsOnError()) {
      throw InferenceException.internal(
          engine.models().startFailures() + "; --exit-on-error=false starts without them");
    }
    return true;
  }

  /** Begins to make a server in a program's own process. */
  public static ServerBuilder builder() {
    return new ServerBuilder();
  }

  /** The engine that the front ends serve, for the program itself; it is closed with the server. */
  public Engine engine() {
    return Engine.of(engine);
  }

  FrontEnds frontEnds() {
    return frontEnds;
  }

  /** The port of HTTP, if it is served. */
  public int httpPort() {
    return frontEnds.port("http");
  }

  /** The port of gRPC, if it is served. */
  public int grpcPort() {
    return frontEnds.port("grpc");
  }

  /** The port of the metrics, if they are served. */
  public int metricsPort() {
    return frontEnds.port("metrics");
  }

  /**
   * The port of a front end that is an optional part.
   *
   * @param name by which options set it
   * @throws IllegalStateException if it is not served
   */
  public int port(String name) {
    return frontEnds.port(name);
  }

  /**
   * Stops the server. It is no longer ready and accepts no connections and no new requests; loads
   * that take long are cancelled; requests in flight and live sequences, whose clients keep their
   * connections, have most of the exit timeout to finish. Then models, backends and memory are
   * closed.
   */
  @Override
  public void close() {
    if (!engine.beginStop()) {
      return;
    }
    long deadline = System.nanoTime() + new ExitTimes(options.exitTimeout()).requests().toNanos();
    frontEnds.refuseConnections(); // before a start that waits for the warm-up goes on
    warmup.close();
    boolean inTime = engine.finishSequences(deadline);
    inTime &= frontEnds.stop(deadline);
    started.close();
    closedInTime = inTime;
  }

  /** Whether the server is closed and all requests and sequences ended within the exit timeout. */
  boolean isClosedInTime() {
    return closedInTime;
  }
}

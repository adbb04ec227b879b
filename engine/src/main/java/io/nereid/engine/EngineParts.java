package io.nereid.engine;

import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.cache.CacheCatalog;
import io.nereid.engine.cache.ResponseCaching;
import io.nereid.engine.file.OptionFile;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.HeapTrim;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.ModelRegistry;
import io.nereid.engine.model.config.conversion.SchedulingMessages;
import io.nereid.engine.model.control.ModelManager;
import io.nereid.engine.model.loading.LoaderSettings;
import io.nereid.engine.model.repository.Repositories;
import io.nereid.engine.scheduling.DecisionJournal;
import io.nereid.engine.scheduling.SystemClock;
import io.nereid.engine.scheduling.journal.JournalFile;
import io.nereid.engine.scheduling.journal.SchedulerJournal;
import io.nereid.engine.scheduling.journal.WatchedDecisions;
import io.nereid.engine.telemetry.trace.TraceDestination;
import io.nereid.engine.telemetry.trace.TraceSink;
import io.nereid.engine.telemetry.trace.Tracer;
import io.nereid.engine.telemetry.trace.export.ExportingSink;
import io.nereid.engine.telemetry.trace.export.TraceExporters;
import io.nereid.engine.telemetry.trace.file.TraceWriter;
import io.nereid.engine.thread.IntervalRunner;
import io.nereid.engine.thread.Started;
import io.nereid.engine.utilization.LoadMeter;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The parts of an engine, put together from the clock up to the model manager. Front ends use them;
 * programs use the {@link Engine}. One thread makes them and starts them, and one, perhaps at the
 * same time, closes them.
 */
public final class EngineParts implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(EngineParts.class.getName());

  /** The interval between trims; memory unused for one to two intervals is given back. */
  private static final Duration TRIM_INTERVAL = Duration.ofSeconds(15);

  /** The interval between looks at executions; one is found overdue by the second look. */
  private static final Duration WATCH_INTERVAL = Duration.ofMillis(250);

  private enum Phase {
    STARTING,
    SERVING,
    STOPPING,
    CLOSED
  }

  private final Started started = new Started();
  private final EngineSettings settings;
  private final BooleanSupplier frontEndsWork;
  private final BufferPool pool;
  private final SystemClock clock;
  private final TraceSink traces;
  private final Tracer tracer;
  private final Optional<ResponseCaching> caching;
  private final BackendCatalog backends;
  private final SharedRegions regions;
  private final ModelRegistry registry = new ModelRegistry();
  private final RequestAdmission admission;
  private final ModelManager models;
  private final LoadMeter loadMeter;
  private final Optional<WatchedDecisions> watched;
  private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.STARTING);

  /** Made by the thread that trims, since it takes milliseconds of a start; its alone. */
  private @Nullable HeapTrim heapTrim;

  /**
   * @param pool memory of inputs, batches and outputs; closed with the parts, or if they cannot be
   *     made
   * @param frontEndsWork whether the threads of the front ends do their work; the engine is not
   *     ready otherwise
   * @throws IOException if the journal or the cache of object stores cannot be written; then
   *     everything that was started has ended
   */
  public EngineParts(EngineSettings settings, BufferPool pool, BooleanSupplier frontEndsWork)
      throws IOException {
    this.settings = settings;
    this.frontEndsWork = frontEndsWork;
    this.pool = started.add(pool, () -> closePool(pool));
    try {
      clock = SystemClock.start();
      started.add(clock, clock::close);
      Repositories repositories =
          Repositories.open(
              settings.models().repositories(),
              settings.models().bareModel(),
              settings.models().objectStores());
      started.add(repositories, repositories::close);
      DecisionJournal file = openJournal();
      watched =
          settings.telemetry().watchesDecisions()
              ? Optional.of(new WatchedDecisions(file, clock::nanos))
              : Optional.empty();
      DecisionJournal journal = watched.isPresent() ? watched.get() : file;
      EngineSettings.Telemetry telemetry = settings.telemetry();
      traces = openTraces(telemetry.traces().destination());
      tracer = new Tracer(telemetry.traces(), telemetry.clientSettings(), clock::nanos, traces);
      EngineSettings.Plugins plugins = settings.plugins();
      caching =
          CacheCatalog.open(plugins.cache())
              .map(cache -> new ResponseCaching(cache, pool, clock::nanos));
      caching.ifPresent(cache -> started.add(cache, cache::close));
      backends = new BackendCatalog(plugins.backends(), plugins.own());
      started.add(backends, backends::close);
      regions =
          settings.memory().maxRegions() == 0
              ? SharedRegions.NONE
              : SharedRegions.open(settings.memory().maxRegions(), backends::openSharedMemory);
      started.add(regions, regions::close); // before the backends, which have opened some
      admission =
          new RequestAdmission(
              registry,
              clock,
              this::isServing,
              settings.models().control().readiness(),
              settings.memory().maxStringElements());
      models = openModels(repositories, journal);
      started.add(models, models::close);
      LoadMeter meter = LoadMeter.of(registry::ready, clock::nanos);
      loadMeter = started.add(meter, meter::close);
    } catch (IOException | RuntimeException | Error failed) {
      try (started) {
        throw failed;
      }
    }
  }

  private ModelManager openModels(Repositories repositories, DecisionJournal journal) {
    return new ModelManager(
        repositories.all(),
        settings.models().control(),
        registry,
        new LoaderSettings(
            admission::admit, backends, pool, clock, journal, caching, settings.serving()));
  }

  private DecisionJournal openJournal() throws IOException {
    Optional<JournalFile> file = settings.telemetry().journal();
    if (file.isEmpty()) {
      return DecisionJournal.NONE;
    }
    SchedulerJournal journal =
        OptionFile.open(
            "--scheduler-journal",
            () -> SchedulerJournal.open(file.get(), clock::nanos, SchedulingMessages::message));
    return started.add(journal, journal::close);
  }

  private TraceSink openTraces(TraceDestination destination) {
    TraceSink sink =
        switch (destination) {
          case TraceDestination.Files(String path, _, _, _) when path.isEmpty() -> TraceSink.NONE;
          case TraceDestination.Files files ->
              TraceWriter.start(files, System.nanoTime() - clock.nanos());
          case TraceDestination.OpenTelemetry(List<Map.Entry<String, String>> exporter) ->
              new ExportingSink(
                  TraceExporters.open(
                      settings.telemetry().traceExporters(),
                      destination.mode(),
                      exporter,
                      System.getenv()),
                  clock::nanos,
                  Clock.systemUTC());
        };
    return started.add(sink, sink::close);
  }

  private static void closePool(BufferPool pool) {
    if (pool.outstanding() != 0) {
      LOG.log(Level.WARNING, "{0} leases were never released", pool.outstanding());
    }
    pool.close();
  }

  /**
   * Begins to give back memory that is not used, and loads the models that serve from the start.
   *
   * @return whether all of them are ready
   * @throws io.nereid.error.InferenceException if a repository cannot be read, or the start-up
   *     models are invalid
   */
  public boolean load() {
    LOG.log(Level.INFO, "backends found: {0}", backends.names());
    IntervalRunner trimmer = IntervalRunner.start("trim", TRIM_INTERVAL, this::trim);
    started.add(trimmer, trimmer::close);
    if (!settings.executionLimit().isZero()) {
      IntervalRunner watch =
          IntervalRunner.start("execution watch", WATCH_INTERVAL, this::watchExecutions);
      started.add(watch, watch::close);
    }
    return models.loadAll();
  }

  private void watchExecutions() {
    long limit = settings.executionLimit().toNanos();
    registry.measured().forEach(model -> model.runtime().watch(limit));
  }

  private void trim() {
    Stream.concat(Stream.of(pool), registry.ready().stream().map(LoadedModel::inputPool))
        .distinct() // a second trim at once would free what is in use all the time
        .forEach(BufferPool::trim);
    if (settings.collectsGarbage()) {
      if (heapTrim == null) {
        heapTrim = HeapTrim.ofProcess();
      }
      heapTrim.run();
    }
  }

  /** Accepts requests from now on, unless the stop has begun. */
  public void serve() {
    phase.compareAndSet(Phase.STARTING, Phase.SERVING);
  }

  /** Whether requests are accepted, and the threads that serve them do their work. */
  private boolean isServing() {
    return phase.get() == Phase.SERVING && clock.isWorking() && frontEndsWork.getAsBoolean();
  }

  /**
   * Begins the stop: nothing is ready any more, and loads that take long are cancelled. Returns
   * false if it has begun before.
   */
  public boolean beginStop() {
    boolean isFirst =
        phase
                .getAndUpdate(now -> now == Phase.CLOSED ? now : Phase.STOPPING)
                .compareTo(Phase.STOPPING)
            < 0;
    if (isFirst) {
      backends.cancelLoads();
    }
    return isFirst;
  }

  /**
   * Rejects new requests and waits until no sequence is live.
   *
   * @param deadline by {@code System.nanoTime}
   * @return false if the deadline has passed first, or the thread was interrupted
   */
  public boolean finishSequences(long deadline) {
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

  /** Closes models after their last requests, then everything else; behind {@link #beginStop}. */
  @Override
  public void close() {
    phase.set(Phase.CLOSED);
    started.close();
  }

  /** Whether {@link #close} has begun. */
  boolean isClosed() {
    return phase.get() == Phase.CLOSED;
  }

  /** Where all requests enter. */
  public RequestAdmission admission() {
    return admission;
  }

  /** Loads and unloads models. */
  public ModelManager models() {
    return models;
  }

  /** The versions of all models and their states. */
  ModelRegistry registry() {
    return registry;
  }

  /** Measures the load of the server, once someone asks for it. */
  public LoadMeter loadMeter() {
    return loadMeter;
  }

  /** The backends that were found. */
  public BackendCatalog backends() {
    return backends;
  }

  /** Memory of bodies, inputs, batches and outputs. */
  public BufferPool pool() {
    return pool;
  }

  /** The shared memory regions of clients. */
  public SharedRegions regions() {
    return regions;
  }

  /** Samples requests that are to be traced. */
  public Tracer tracer() {
    return tracer;
  }

  /** Where the traces go. */
  public TraceSink traces() {
    return traces;
  }

  /** The decisions of schedulers, if they can be watched. */
  public Optional<WatchedDecisions> watchedDecisions() {
    return watched;
  }

  /** The response cache, if there is one. */
  public Optional<ResponseCaching> caching() {
    return caching;
  }
}

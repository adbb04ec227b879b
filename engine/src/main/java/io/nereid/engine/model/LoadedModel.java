package io.nereid.engine.model;

import io.nereid.config.ModelConfig;
import io.nereid.engine.cache.ModelCaching;
import io.nereid.engine.call.CalledModel;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.model.config.ModelConfiguration;
import io.nereid.engine.model.config.conversion.ModelConfigJsonWriter;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.validation.RequestValidator;
import io.nereid.engine.scheduling.Scheduler;
import io.nereid.engine.telemetry.statistics.ModelStatistics;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A version of a model that is ready: its configuration, scheduler and statistics. A request enters
 * before it is enqueued and leaves when it has ended; {@link #close} waits for the last one.
 * Thread-safe.
 */
public final class LoadedModel implements CalledModel, AutoCloseable {
  private static final System.Logger LOG = System.getLogger(LoadedModel.class.getName());

  /** Added to {@link #inFlight} by {@link #close}; no request enters afterwards. */
  private static final long CLOSED = Long.MIN_VALUE;

  private final ModelKey key;
  private final ModelConfig config;

  /** Its settings never change; an update of the instances changes the rest. */
  private volatile ModelConfiguration configuration;

  private final Map<String, LabelFile> labels;
  private final ModelRuntime runtime;
  private final ModelStatistics statistics;
  private final @Nullable ModelCaching caching;
  private final BiConsumer<LoadedModel, PendingRequest> admission;
  private final RequestValidator validator;
  private final AtomicLong inFlight = new AtomicLong();
  private volatile boolean drained;

  /**
   * @param labels the labels of outputs, by output name
   * @param runtime closed with the model
   * @param caching null if responses are not cached; closed with the model
   * @param admission of the requests of models that call this one
   */
  public LoadedModel(
      ModelKey key,
      ModelConfiguration configuration,
      Map<String, LabelFile> labels,
      ModelRuntime runtime,
      ModelStatistics statistics,
      @Nullable ModelCaching caching,
      BiConsumer<LoadedModel, PendingRequest> admission) {
    this.admission = admission;
    this.key = key;
    this.config = configuration.settings();
    this.configuration = configuration;
    this.labels = labels;
    this.runtime = runtime;
    this.statistics = statistics;
    this.caching = caching;
    this.validator = new RequestValidator(config, configuration.isBatchSizeCompleted());
  }

  @Override
  public ModelKey key() {
    return key;
  }

  @Override
  public ModelConfig config() {
    return config;
  }

  /** The completed configuration, as gRPC returns it. */
  public io.nereid.protocol.config.ModelConfig configMessage() {
    return configuration.message();
  }

  /** The completed configuration, as HTTP returns it. */
  public String configJson() {
    return ModelConfigJsonWriter.write(configuration.message());
  }

  /** The platform of the metadata: the backend, if the configuration names no platform. */
  public String platform() {
    return config().platform().isEmpty() ? config().backend() : config().platform();
  }

  /** The labels of an output's classes, empty if it has no label file. */
  public LabelFile labels(String output) {
    return labels.getOrDefault(output, LabelFile.NONE);
  }

  /** Validates requests before they are enqueued. */
  public RequestValidator validator() {
    return validator;
  }

  /** The use of the response cache; null if responses are not cached. */
  public @Nullable ModelCaching caching() {
    return caching;
  }

  public Scheduler scheduler() {
    return runtime.scheduler();
  }

  /** The statistics of this version so far. */
  public StatisticsSnapshot statistics() {
    return statistics.snapshot(Math.max(0, inFlight.get()), runtime.memoryUsage());
  }

  /** The same for metrics, which go on where those of the replaced load of this version ended. */
  public StatisticsSnapshot metrics() {
    return statistics.metrics(Math.max(0, inFlight.get()));
  }

  /** Lets the metrics go on from those of the load that is replaced. */
  public void continueMetrics(LoadedModel replaced) {
    if (!replaced.equals(this)) {
      statistics.continueMetrics(replaced.statistics);
    }
  }

  public ModelConfiguration configuration() {
    return configuration;
  }

  /**
   * Replaces the instances while requests execute. One thread at a time calls this.
   *
   * @param changed differs from the present configuration in its instances and version policy only
   * @throws InferenceException if an instance cannot be opened; nothing has changed then
   */
  public void update(ModelConfiguration changed) {
    runtime.update(changed.instances());
    configuration = changed;
  }

  public ModelRuntime runtime() {
    return runtime;
  }

  /** The models that are parts of it, which it alone calls. */
  public List<LoadedModel> parts() {
    return runtime.parts();
  }

  /** The memory to decode inputs into. */
  @Override
  public BufferPool inputPool() {
    return runtime.inputPool();
  }

  /** Whether {@code null} in JSON is a missing value of an input: NaN, or an empty string. */
  public boolean takesMissing() {
    return runtime.takesMissing();
  }

  @Override
  public boolean isHealthy() {
    return runtime.overdue().isEmpty() && runtime.isHealthy();
  }

  /**
   * Why requests are rejected until the version is loaded again: an instance failed for good. Null
   * while it serves.
   */
  public @Nullable InferenceException failure() {
    return runtime.failure();
  }

  /**
   * What an operator should know of a version that serves: which execution is overdue, else what of
   * the configuration the backend has left out. Empty if nothing.
   */
  public String warning() {
    String overdue = runtime.overdue();
    return overdue.isEmpty() ? runtime.warning() : overdue;
  }

  @Override
  public boolean holdsResources() {
    return runtime.holdsResources();
  }

  /** The number of requests in flight, also while the model drains. */
  public long requests() {
    long entered = inFlight.get();
    return entered < 0 ? entered - CLOSED : entered;
  }

  public boolean hasRequests() {
    return inFlight.get() > 0;
  }

  /** Counts a request that begins; false if the model is closing, and the request may not begin. */
  @Override
  public boolean enter() {
    if (inFlight.incrementAndGet() > 0) {
      return true;
    }
    inFlight.decrementAndGet();
    return false;
  }

  /** Counts a request that has ended. */
  @Override
  public void leave() {
    if (inFlight.decrementAndGet() == CLOSED) {
      synchronized (this) {
        notifyAll();
      }
    }
  }

  @Override
  public void admit(PendingRequest request) {
    admission.accept(this, request);
  }

  /** Rejects requests from now on, and waits for those that have entered. Called once. */
  public void drain() {
    drained = true;
    boolean interrupted = false;
    long left = inFlight.addAndGet(CLOSED);
    for (int seconds = 0; left != CLOSED; seconds++) {
      if (seconds > 0 && Integer.bitCount(seconds) == 1) { // after 1, 2, 4, 8 s
        logWait(left - CLOSED);
      }
      interrupted |= awaitLeave();
      left = inFlight.get();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits a second at most; returns whether the thread was interrupted. */
  private synchronized boolean awaitLeave() {
    try {
      if (inFlight.get() != CLOSED) {
        TimeUnit.SECONDS.timedWait(this, 1); // a failed enter() counts down without notifying
      }
      return false;
    } catch (InterruptedException again) {
      return true; // native memory must not be freed under a running request
    }
  }

  /** Closes the runtime, behind a {@link #drain} if there was none. Called once. */
  @Override
  public void close() {
    if (!drained) {
      drain();
    }
    try {
      runtime.close();
    } finally {
      if (caching != null) {
        caching.close();
      }
      statistics.close();
    }
  }

  private void logWait(long requests) {
    List<String> executing = runtime.executing();
    String where =
        executing.isEmpty()
            ? "no instance executes a batch"
            : "backend '%s' has not returned from %s".formatted(config.backend(), executing);
    int detached = runtime.detached();
    if (detached > 0) {
      where += ", and it has not ended %d detached requests".formatted(detached);
    }
    LOG.log(
        System.Logger.Level.WARNING,
        "{0} is not closed yet: {1} of its requests have not ended, {2}",
        key,
        Long.toString(requests),
        where);
  }
}

package io.nereid.engine.telemetry.statistics;

import io.nereid.engine.telemetry.statistics.latency.LatencyHistograms;
import io.nereid.engine.telemetry.statistics.latency.LatencyPhase;
import io.nereid.engine.telemetry.statistics.latency.LatencyRecording;
import io.nereid.request.ModelKey;
import io.nereid.spi.MemoryUsage;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The statistics of one loaded model version: those of its instances, and the requests that failed
 * before they reached one. A version that is loaded again starts from zero; its metrics go on from
 * those of the load that it replaces. Thread-safe.
 */
public final class ModelStatistics {
  private final ModelKey model;
  private final String namespace;
  private final Map<String, String> metricTags;
  private final LatencyRecording recording;
  private final List<InstanceStatistics> instances = new CopyOnWriteArrayList<>();

  /** Where instances have run, each GPU once; empty for what is no GPU. */
  private final Set<OptionalInt> gpus = ConcurrentHashMap.newKeySet();

  /**
   * Requests that failed or were refused before an instance began them, and what batches cost;
   * guarded by its own monitor.
   */
  private final InstanceStatistics early = new InstanceStatistics(LatencyRecording.NONE);

  /** Null unless the model's configuration enables the response cache. */
  private final @Nullable CacheStatistics cache;

  /** Of detached requests; null until there is one. Created under the monitor of {@link #early}. */
  private volatile @Nullable SharedStatistics detached;

  /** What {@link #isFirst} was told. */
  private final Set<String> told = ConcurrentHashMap.newKeySet();

  private volatile MetricSeries series;
  private volatile StatisticsSnapshot.Load load = StatisticsSnapshot.Load.NONE;

  /**
   * @param namespace empty unless models are kept apart by namespaces
   * @param metricTags the labels that the configuration adds to the model's metrics
   * @param caches whether the configuration enables the response cache
   * @param recording what is recorded besides counts and sums
   */
  public ModelStatistics(
      String namespace,
      ModelKey model,
      Map<String, String> metricTags,
      boolean caches,
      LatencyRecording recording) {
    this.namespace = namespace;
    this.model = model;
    this.metricTags = Map.copyOf(metricTags);
    this.recording = recording;
    cache = caches ? new CacheStatistics(recording) : null;
    series = new MetricSeries(recording);
    series.add(this);
  }

  /**
   * Lets the metrics of this load go on from those of the load that it is to replace, if they have
   * the same labels. Called before the first request.
   *
   * @param replaced not closed
   */
  public void continueMetrics(ModelStatistics replaced) {
    if (model.equals(replaced.model)
        && metricTags.equals(replaced.metricTags)
        && gpu().equals(replaced.gpu())
        && recording.firstResponseMillis().equals(replaced.recording.firstResponseMillis())) {
      series = replaced.series;
      series.add(this);
    }
  }

  /** Ends these statistics: no request counts any more. The metrics keep what was counted. */
  public void close() {
    series.end(this);
  }

  public ModelKey model() {
    return model;
  }

  /** The statistics of the response cache, if the model's configuration enables it. */
  public Optional<CacheStatistics> cache() {
    return Optional.ofNullable(cache);
  }

  /** Notes where an instance of the model runs; empty for what is no GPU. */
  public void runsOn(OptionalInt gpu) {
    gpus.add(gpu);
  }

  /** Adds the statistics of a new instance; they count even after the instance is closed. */
  public InstanceStatistics addInstance() {
    var instance = new InstanceStatistics(recording);
    instances.add(instance);
    return instance;
  }

  /**
   * The statistics of requests that were detached from their execution, by whatever thread they
   * end. From any thread.
   */
  public InstanceStatistics detached() {
    SharedStatistics known = detached;
    if (known != null) {
      return known;
    }
    synchronized (early) {
      if (detached == null) {
        detached = new SharedStatistics(recording);
        instances.add(detached);
      }
      return detached;
    }
  }

  /** The number of requests that are detached from an execution which has returned. */
  private long detachedNow() {
    SharedStatistics known = detached;
    return known == null ? 0 : known.executing();
  }

  /** Whether something is told for the first time in this load, to be logged. From any thread. */
  public boolean isFirst(String what) {
    return told.add(what);
  }

  /**
   * Sets the duration of the load, and when it ended.
   *
   * @param endMillis since the epoch
   */
  public void loaded(long nanos, long endMillis) {
    load = new StatisticsSnapshot.Load(nanos, endMillis);
  }

  /** Counts a request that was accepted and failed before an instance began it. */
  public void failed(FailureReason reason, long requestNanos) {
    synchronized (early) {
      early.failed(reason, requestNanos);
    }
  }

  /** Counts a request that was refused. */
  public void refused(RefusalReason reason) {
    synchronized (early) {
      early.refused(reason);
    }
  }

  /** Counts a batch of a model with a limit of what a batch costs. */
  public void dispatched(long cost, long padding) {
    synchronized (early) {
      early.dispatched(cost, padding);
    }
  }

  /**
   * The sum of all statistics.
   *
   * @param inFlight the number of requests that have arrived and not ended
   * @param memoryUsage of the model now
   */
  public StatisticsSnapshot snapshot(long inFlight, List<MemoryUsage> memoryUsage) {
    return snapshot(this::addTo, this::addRecentTo, inFlight, memoryUsage);
  }

  /**
   * The same for metrics: with the counts of the loads that this one, and those before it, have
   * replaced.
   *
   * @param inFlight the number of requests that have arrived and not ended
   */
  public StatisticsSnapshot metrics(long inFlight) {
    MetricSeries all = series;
    return snapshot(all::addTo, all::addRecentTo, inFlight, List.of());
  }

  public void addTo(InstanceStatistics sum) {
    sum.addAll(early);
    counted().forEach(sum::addAll);
  }

  void addRecentTo(LatencyHistograms sums) {
    counted().forEach(instance -> instance.addRecentTo(sums));
  }

  /** The statistics of the instances, and of the cache, which also ends requests. */
  private Stream<InstanceStatistics> counted() {
    return cache == null
        ? instances.stream()
        : Stream.concat(instances.stream(), Stream.of(cache.counters()));
  }

  /** The GPU on which all instances have run, if there is one. */
  private OptionalInt gpu() {
    List<OptionalInt> all = List.copyOf(gpus);
    return all.size() == 1 ? all.getFirst() : OptionalInt.empty();
  }

  private long executing() {
    return instances.stream().mapToLong(InstanceStatistics::executing).sum();
  }

  private StatisticsSnapshot snapshot(
      Consumer<InstanceStatistics> counted,
      Consumer<LatencyHistograms> recent,
      long inFlight,
      List<MemoryUsage> memoryUsage) {
    var sum = new InstanceStatistics(recording.withoutRecent());
    counted.accept(sum);
    Map<FailureReason, Long> failures = sum.failures();
    long failCount = failures.values().stream().mapToLong(Long::longValue).sum();
    var batches = sum.batches();
    return new StatisticsSnapshot(
        namespace,
        model,
        metricTags,
        gpu(),
        cache != null,
        sum.lastInferenceMillis(),
        sum.inferences(),
        batches.values().stream().mapToLong(batch -> batch.computeInfer().count()).sum(),
        sum.requests(new StatisticsSnapshot.DurationSum(failCount, sum.failureNanos())),
        sum.responses(),
        batches,
        failures,
        sum.refusals(),
        sum.micros(),
        sum.durations(),
        recent(recent),
        sum.firstResponses(),
        sum.batchCosts(),
        Math.max(0, inFlight - executing()),
        detachedNow(),
        memoryUsage,
        load);
  }

  private Optional<LatencyHistograms> recent(Consumer<LatencyHistograms> recorded) {
    if (!recording.recent()) {
      return Optional.empty();
    }
    var sums = new LatencyHistograms(EnumSet.allOf(LatencyPhase.class));
    recorded.accept(sums);
    return Optional.of(sums);
  }
}

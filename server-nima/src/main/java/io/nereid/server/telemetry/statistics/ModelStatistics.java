package io.nereid.server.telemetry.statistics;

import io.nereid.request.ModelKey;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * The statistics of one loaded model version: those of its instances, and the requests that failed
 * before they reached one. A version that is loaded again starts from zero; its metrics go on from
 * those of the load that it replaces. Thread-safe.
 */
public final class ModelStatistics {
  private final ModelKey model;
  private final Map<String, String> metricTags;
  private final LatencyRecording recording;
  private final List<InstanceStatistics> instances = new CopyOnWriteArrayList<>();

  /** Requests that failed before an instance began them; guarded by its own monitor. */
  private final InstanceStatistics early = new InstanceStatistics(LatencyRecording.NONE);

  private volatile MetricSeries series;
  private volatile long loadNanos;

  /** Records counts and sums only. */
  public ModelStatistics(ModelKey model, Map<String, String> metricTags) {
    this(model, metricTags, LatencyRecording.NONE);
  }

  /**
   * @param metricTags the labels that the configuration adds to the model's metrics
   * @param recording what is recorded besides counts and sums
   */
  public ModelStatistics(
      ModelKey model, Map<String, String> metricTags, LatencyRecording recording) {
    this.model = model;
    this.metricTags = Map.copyOf(metricTags);
    this.recording = recording;
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
        && recording.firstResponseMillis().equals(replaced.recording.firstResponseMillis())) {
      series = replaced.series;
      series.add(this);
    }
  }

  /** Ends these statistics: no request counts any more. The metrics keep what was counted. */
  public void close() {
    series.end(this);
  }

  /** Adds the statistics of a new instance; they count even after the instance is closed. */
  public InstanceStatistics addInstance() {
    var instance = new InstanceStatistics(recording);
    instances.add(instance);
    return instance;
  }

  /** Sets the duration of the load. */
  public void loaded(long nanos) {
    loadNanos = nanos;
  }

  /** Counts a request that was accepted and failed before an instance began it. */
  public void failed(FailureReason reason, long requestNanos) {
    synchronized (early) {
      early.failed(reason, requestNanos);
    }
  }

  /**
   * The sum of all statistics.
   *
   * @param inFlight the number of requests that have arrived and not ended
   */
  public StatisticsSnapshot snapshot(long inFlight) {
    return snapshot(this::addTo, this::addRecentTo, this::addFirstResponsesTo, inFlight);
  }

  /**
   * The same for metrics: with the counts of the loads that this one, and those before it, have
   * replaced.
   *
   * @param inFlight the number of requests that have arrived and not ended
   */
  public StatisticsSnapshot metrics(long inFlight) {
    MetricSeries all = series;
    return snapshot(all::addTo, all::addRecentTo, all::addFirstResponsesTo, inFlight);
  }

  void addTo(InstanceStatistics sum) {
    sum.addAll(early);
    instances.forEach(sum::addAll);
  }

  void addRecentTo(LatencyHistograms sums) {
    instances.forEach(instance -> instance.addRecentTo(sums));
  }

  void addFirstResponsesTo(FirstResponses sum) {
    instances.forEach(instance -> instance.addFirstResponsesTo(sum));
  }

  private long executing() {
    return instances.stream().mapToLong(InstanceStatistics::executing).sum();
  }

  private StatisticsSnapshot snapshot(
      Consumer<InstanceStatistics> counted,
      Consumer<LatencyHistograms> recent,
      Consumer<FirstResponses> firstResponses,
      long inFlight) {
    var sum = new InstanceStatistics(LatencyRecording.NONE);
    counted.accept(sum);
    Map<FailureReason, Long> failed = new EnumMap<>(FailureReason.class);
    long failCount = 0;
    for (FailureReason reason : FailureReason.values()) {
      failed.put(reason, sum.failures(reason));
      failCount += sum.failures(reason);
    }
    Map<LatencyPhase, Long> micros = new EnumMap<>(LatencyPhase.class);
    for (LatencyPhase phase : LatencyPhase.values()) {
      micros.put(phase, sum.micros(phase));
    }
    var batches = sum.batches();
    return new StatisticsSnapshot(
        model,
        metricTags,
        sum.lastInferenceMillis(),
        sum.inferences(),
        batches.values().stream().mapToLong(batch -> batch.computeInfer().count()).sum(),
        sum.requests(new StatisticsSnapshot.DurationSum(failCount, sum.failureNanos())),
        sum.responses(),
        batches,
        failed,
        micros,
        recent(recent),
        firstResponses(firstResponses),
        Math.max(0, inFlight - executing()),
        loadNanos);
  }

  private Optional<LatencyHistograms> recent(Consumer<LatencyHistograms> recorded) {
    if (!recording.recent()) {
      return Optional.empty();
    }
    var sums = new LatencyHistograms();
    recorded.accept(sums);
    return Optional.of(sums);
  }

  private Optional<StatisticsSnapshot.Histogram> firstResponses(Consumer<FirstResponses> recorded) {
    if (recording.firstResponseMillis().isEmpty()) {
      return Optional.empty();
    }
    var sum = new FirstResponses(recording.firstResponseMillis());
    recorded.accept(sum);
    return Optional.of(sum.histogram());
  }
}

package io.nereid.server.telemetry.statistics;

import io.nereid.request.ModelKey;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * What one loaded version of a model has done: the sum of its instances, and what ended before it
 * reached one. From any thread. A version that is loaded anew begins anew.
 */
public final class ModelStatistics {
  private final ModelKey model;
  private final Map<String, String> metricTags;
  private final LatencyRecording recording;
  private final List<InstanceStatistics> instances = new CopyOnWriteArrayList<>();

  /** What ended before it reached an instance; written by whoever holds its lock. */
  private final InstanceStatistics early = new InstanceStatistics(LatencyRecording.NONE);

  private volatile long loadNanos;

  /** Counts and sums alone. */
  public ModelStatistics(ModelKey model, Map<String, String> metricTags) {
    this(model, metricTags, LatencyRecording.NONE);
  }

  /**
   * @param metricTags the labels that the configuration adds to the model's metrics
   * @param recording what is kept besides
   */
  public ModelStatistics(
      ModelKey model, Map<String, String> metricTags, LatencyRecording recording) {
    this.model = model;
    this.metricTags = Map.copyOf(metricTags);
    this.recording = recording;
  }

  /** New numbers for one more instance; they stay part of the sum when the instance has gone. */
  public InstanceStatistics addInstance() {
    var instance = new InstanceStatistics(recording);
    instances.add(instance);
    return instance;
  }

  /** The model has been loaded, which took so long. */
  public void loaded(long nanos) {
    loadNanos = nanos;
  }

  /** Counts a request that failed after it was accepted and before an instance began it. */
  public void failed(FailureReason reason, long requestNanos) {
    synchronized (early) {
      early.failed(reason, requestNanos);
    }
  }

  /**
   * All of it, summed.
   *
   * @param inFlight requests that have arrived and not ended
   */
  public StatisticsSnapshot snapshot(long inFlight) {
    var sum = new InstanceStatistics(LatencyRecording.NONE);
    sum.addAll(early);
    instances.forEach(sum::addAll);
    Map<FailureReason, Long> failed = new EnumMap<>(FailureReason.class);
    long failCount = 0;
    for (FailureReason reason : FailureReason.values()) {
      failed.put(reason, sum.failures(reason));
      failCount += sum.failures(reason);
    }
    var batches = sum.batches();
    return new StatisticsSnapshot(
        model,
        metricTags,
        sum.lastInferenceMillis(),
        sum.inferences(),
        batches.values().stream().mapToLong(batch -> batch.computeInfer().count()).sum(),
        sum.requests(new StatisticDuration(failCount, sum.failureNanos())),
        sum.responses(),
        batches,
        failed,
        sum.latency(),
        recent(),
        firstResponses(),
        Math.max(0, inFlight - sum.executing()),
        loadNanos);
  }

  private Optional<LatencyQuantiles> recent() {
    if (!recording.recent()) {
      return Optional.empty();
    }
    var sums = new PhaseHistograms();
    instances.forEach(instance -> instance.addRecentTo(sums));
    return Optional.of(new LatencyQuantiles(sums));
  }

  private Optional<FirstResponseHistogram> firstResponses() {
    if (recording.firstResponseMillis().isEmpty()) {
      return Optional.empty();
    }
    var sum = new FirstResponses(recording.firstResponseMillis());
    instances.forEach(instance -> instance.addFirstResponsesTo(sum));
    return Optional.of(sum.histogram());
  }
}

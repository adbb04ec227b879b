package io.nereid.server.telemetry.statistics;

import io.nereid.request.ModelKey;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a model version has done up to a moment.
 *
 * @param metricTags the labels that its configuration adds to its metrics
 * @param lastInferenceMillis when the last execution ended, since the epoch; 0 if there was none
 * @param inferenceCount rows of the requests that succeeded
 * @param executionCount executions of which some request succeeded
 * @param responses of decoupled models, by index
 * @param batches by batch size, ascending; padding counts
 * @param failures of every reason
 * @param recent what requests of the last minute took, if that is kept
 * @param firstResponses how long requests waited for their first response, if that is kept
 * @param pending requests that have arrived and that no instance has begun yet
 * @param loadNanos what loading took
 */
public record StatisticsSnapshot(
    ModelKey model,
    Map<String, String> metricTags,
    long lastInferenceMillis,
    long inferenceCount,
    long executionCount,
    RequestStatistics requests,
    List<ResponseStatistics> responses,
    NavigableMap<Long, BatchStatistics> batches,
    Map<FailureReason, Long> failures,
    LatencyMicros latency,
    Optional<LatencyQuantiles> recent,
    Optional<FirstResponseHistogram> firstResponses,
    long pending,
    long loadNanos) {
  public StatisticsSnapshot {
    metricTags = Map.copyOf(metricTags);
    responses = List.copyOf(responses);
    batches = Collections.unmodifiableNavigableMap(new TreeMap<>(batches));
    failures = Collections.unmodifiableMap(new EnumMap<>(failures));
  }
}

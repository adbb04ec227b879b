package io.nereid.server.metrics;

import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.engine.telemetry.statistics.latency.LatencyPhase;
import io.nereid.server.metrics.exposition.Labels;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A model version with its counts, which are the same for all families of a page.
 *
 * @param labels those that every sample of the model has
 * @param executionLabels those of what executions count: also the GPU, if all are on one
 */
record MeasuredModel(StatisticsSnapshot counts, Labels labels, Labels executionLabels) {
  /** The characters that Prometheus does not allow in a label's name. */
  private static final String NO_LABEL_CHARACTER = "[^a-zA-Z0-9_]";

  /**
   * A model with its labels.
   *
   * @param gpuUuids those of the GPUs that are visible, by the numbers that instances have
   */
  static MeasuredModel of(StatisticsSnapshot counts, List<String> gpuUuids) {
    Map<String, String> named = new TreeMap<>(); // tags may be one name once they are labels
    new TreeMap<>(counts.metricTags())
        .forEach((tag, value) -> named.put("_" + tag.replaceAll(NO_LABEL_CHARACTER, "_"), value));
    named.put("model", counts.model().name());
    named.put("version", Long.toString(counts.model().version()));
    if (!counts.namespace().isEmpty()) {
      named.put("namespace", counts.namespace());
    }
    var labels = new Labels(named);
    int gpu = counts.gpu().orElse(-1);
    return new MeasuredModel(
        counts,
        labels,
        gpu >= 0 && gpu < gpuUuids.size() ? labels.with("gpu_uuid", gpuUuids.get(gpu)) : labels);
  }

  boolean caches() {
    return counts.caches();
  }

  /** The sum of a phase's durations in microseconds. */
  long micros(LatencyPhase phase) {
    return counts.latencyMicros().getOrDefault(phase, 0L);
  }
}

package io.nereid.server.metrics;

import io.nereid.server.telemetry.statistics.FailureReason;
import io.nereid.server.telemetry.statistics.LatencyPhase;
import io.nereid.server.telemetry.statistics.RefusalReason;
import io.nereid.server.telemetry.statistics.StatisticsSnapshot;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/** The counters and gauges of each model version, under Triton's metric names. */
final class ModelMetrics {
  private static final int NANO_DIGITS = 9;

  /** The characters that Prometheus does not allow in a label's name. */
  private static final String NO_LABEL_CHARACTER = "[^a-zA-Z0-9_]";

  static final String COMPUTE_INPUT_HELP =
      "Cumulative compute input duration in microseconds (does not include cached requests)";
  static final String COMPUTE_INFER_HELP =
      "Cumulative compute inference duration in microseconds (does not include cached requests)";
  static final String COMPUTE_OUTPUT_HELP =
      "Cumulative inference compute output duration in microseconds (does not include cached"
          + " requests)";

  private final PrometheusWriter writer;
  private final List<StatisticsSnapshot> models;

  private ModelMetrics(PrometheusWriter writer, List<StatisticsSnapshot> models) {
    this.writer = writer;
    this.models = models;
  }

  /**
   * Writes all families, even without models.
   *
   * @param latencies whether to write sums of durations
   */
  static void write(PrometheusWriter writer, List<StatisticsSnapshot> models, boolean latencies) {
    var metrics = new ModelMetrics(writer, models);
    metrics.counts();
    if (latencies) {
      metrics.latencies();
    }
    if (models.stream().anyMatch(StatisticsSnapshot::caches)) {
      metrics.caches(latencies);
    }
    metrics.gauges();
    metrics.refusals();
  }

  private void counts() {
    counter(
        "nv_inference_request_success",
        "Number of successful inference requests, all batch sizes",
        model -> model.requests().success().count());
    failures();
    counter(
        "nv_inference_count",
        "Number of inferences performed (does not include cached requests)",
        StatisticsSnapshot::inferenceCount);
    counter(
        "nv_inference_exec_count",
        "Number of model executions performed (does not include cached requests)",
        StatisticsSnapshot::executionCount);
  }

  private void failures() {
    writer.counter(
        "nv_inference_request_failure", "Number of failed inference requests, all batch sizes");
    for (StatisticsSnapshot model : models) {
      for (FailureReason reason : FailureReason.values()) {
        SortedMap<String, String> labels = labels(model);
        labels.put("reason", reason.name());
        writer.sample(labels, model.failures().getOrDefault(reason, 0L));
      }
    }
  }

  private void refusals() {
    writer.counter(
        "nereid_inference_refused_total",
        "Inference requests refused before they were queued, because of the load");
    for (StatisticsSnapshot model : models) {
      for (RefusalReason reason : RefusalReason.values()) {
        SortedMap<String, String> labels = labels(model);
        labels.put("reason", reason.name().toLowerCase(Locale.ROOT));
        writer.sample(labels, model.refusals().getOrDefault(reason, 0L));
      }
    }
  }

  private void latencies() {
    counter(
        "nv_inference_request_duration_us",
        "Cumulative inference request duration in microseconds (includes cached requests)",
        model -> micros(model, LatencyPhase.REQUEST));
    counter(
        "nv_inference_queue_duration_us",
        "Cumulative inference queuing duration in microseconds (includes cached requests)",
        model -> micros(model, LatencyPhase.QUEUE));
    counter(
        "nv_inference_compute_input_duration_us",
        COMPUTE_INPUT_HELP,
        model -> micros(model, LatencyPhase.COMPUTE_INPUT));
    counter(
        "nv_inference_compute_infer_duration_us",
        COMPUTE_INFER_HELP,
        model -> micros(model, LatencyPhase.COMPUTE_INFER));
    counter(
        "nv_inference_compute_output_duration_us",
        COMPUTE_OUTPUT_HELP,
        model -> micros(model, LatencyPhase.COMPUTE_OUTPUT));
  }

  private void caches(boolean latencies) {
    cacheCounter(
        "nv_cache_num_hits_per_model",
        "Number of cache hits per model",
        model -> model.requests().cacheHit().count());
    cacheCounter(
        "nv_cache_num_misses_per_model",
        "Number of cache misses per model",
        model -> model.requests().cacheMiss().count());
    if (latencies) {
      cacheCounter(
          "nv_cache_hit_duration_per_model",
          "Total cache hit duration per model, in microseconds",
          model -> micros(model, LatencyPhase.CACHE_HIT));
      cacheCounter(
          "nv_cache_miss_duration_per_model",
          "Total cache miss (insert+lookup) duration per model, in microseconds",
          model -> micros(model, LatencyPhase.CACHE_MISS));
    }
  }

  /** Writes samples of the models whose configurations enable the response cache. */
  private void cacheCounter(String name, String help, ToLongFunction<StatisticsSnapshot> value) {
    writer.counter(name, help);
    for (StatisticsSnapshot model : models) {
      if (model.caches()) {
        writer.sample(labels(model), value.applyAsLong(model));
      }
    }
  }

  private void gauges() {
    writer.gauge(
        "nv_inference_pending_request_count",
        "Instantaneous number of pending requests awaiting execution per-model.");
    models.forEach(model -> writer.sample(labels(model), model.pending()));
    writer.gauge("nv_model_load_duration_secs", "Model load time in seconds");
    for (StatisticsSnapshot model : models) {
      writer.sample(labels(model), BigDecimal.valueOf(model.loadNanos(), NANO_DIGITS));
    }
  }

  private void counter(String name, String help, ToLongFunction<StatisticsSnapshot> value) {
    writer.counter(name, help);
    for (StatisticsSnapshot model : models) {
      writer.sample(labels(model), value.applyAsLong(model));
    }
  }

  /** The sum of a phase's durations in microseconds. */
  static long micros(StatisticsSnapshot model, LatencyPhase phase) {
    return model.latencyMicros().getOrDefault(phase, 0L);
  }

  /** The labels that every sample of a model has. */
  static SortedMap<String, String> labels(StatisticsSnapshot model) {
    SortedMap<String, String> labels = new TreeMap<>();
    model
        .metricTags()
        .forEach((tag, value) -> labels.put("_" + tag.replaceAll(NO_LABEL_CHARACTER, "_"), value));
    if (!model.namespace().isEmpty()) {
      labels.put("namespace", model.namespace());
    }
    labels.put("model", model.model().name());
    labels.put("version", Long.toString(model.model().version()));
    return labels;
  }
}

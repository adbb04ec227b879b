package io.nereid.server.metrics;

import io.nereid.engine.telemetry.statistics.FailureReason;
import io.nereid.engine.telemetry.statistics.RefusalReason;
import io.nereid.engine.telemetry.statistics.latency.LatencyPhase;
import io.nereid.server.metrics.exposition.MetricWriter;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/** The counters and gauges of each model version, under Triton's metric names. */
final class ModelMetrics {
  private static final int NANO_DIGITS = 9;

  static final String COMPUTE_INPUT_HELP =
      "Cumulative compute input duration in microseconds (does not include cached requests)";
  static final String COMPUTE_INFER_HELP =
      "Cumulative compute inference duration in microseconds (does not include cached requests)";
  static final String COMPUTE_OUTPUT_HELP =
      "Cumulative inference compute output duration in microseconds (does not include cached"
          + " requests)";

  private final MetricWriter writer;
  private final List<MeasuredModel> models;

  private ModelMetrics(MetricWriter writer, List<MeasuredModel> models) {
    this.writer = writer;
    this.models = models;
  }

  /**
   * Writes all families, even without models.
   *
   * @param latencies whether to write sums of durations
   */
  static void write(MetricWriter writer, List<MeasuredModel> models, boolean latencies) {
    var metrics = new ModelMetrics(writer, models);
    metrics.counts();
    if (latencies) {
      metrics.latencies();
    }
    if (models.stream().anyMatch(MeasuredModel::caches)) {
      metrics.caches(latencies);
    }
    metrics.gauges();
    metrics.refusals();
  }

  private void counts() {
    counter(
        "nv_inference_request_success",
        "Number of successful inference requests, all batch sizes",
        model -> model.counts().requests().success().count());
    failures();
    counter(
        "nv_inference_count",
        "Number of inferences performed (does not include cached requests)",
        model -> model.counts().inferenceCount());
    counter(
        "nv_inference_exec_count",
        "Number of model executions performed (does not include cached requests)",
        model -> model.counts().executionCount());
  }

  private void failures() {
    writer.counter(
        "nv_inference_request_failure", "Number of failed inference requests, all batch sizes");
    for (MeasuredModel model : models) {
      for (FailureReason reason : FailureReason.values()) {
        writer.sample(
            model.labels().with("reason", reason.name()),
            model.counts().failures().getOrDefault(reason, 0L));
      }
    }
  }

  private void refusals() {
    writer.counter(
        "nereid_inference_refused_total",
        "Inference requests refused, or displaced from a full queue, because of the load");
    for (MeasuredModel model : models) {
      for (RefusalReason reason : RefusalReason.values()) {
        writer.sample(
            model.labels().with("reason", reason.name().toLowerCase(Locale.ROOT)),
            model.counts().refusals().getOrDefault(reason, 0L));
      }
    }
  }

  private void latencies() {
    counter(
        "nv_inference_request_duration_us",
        "Cumulative inference request duration in microseconds (includes cached requests)",
        model -> model.micros(LatencyPhase.REQUEST));
    counter(
        "nv_inference_queue_duration_us",
        "Cumulative inference queuing duration in microseconds (includes cached requests)",
        model -> model.micros(LatencyPhase.QUEUE));
    counter(
        "nv_inference_compute_input_duration_us",
        COMPUTE_INPUT_HELP,
        model -> model.micros(LatencyPhase.COMPUTE_INPUT));
    counter(
        "nv_inference_compute_infer_duration_us",
        COMPUTE_INFER_HELP,
        model -> model.micros(LatencyPhase.COMPUTE_INFER));
    counter(
        "nv_inference_compute_output_duration_us",
        COMPUTE_OUTPUT_HELP,
        model -> model.micros(LatencyPhase.COMPUTE_OUTPUT));
  }

  private void caches(boolean latencies) {
    cacheCounter(
        "nv_cache_num_hits_per_model",
        "Number of cache hits per model",
        model -> model.counts().requests().cacheHit().count());
    cacheCounter(
        "nv_cache_num_misses_per_model",
        "Number of cache misses per model",
        model -> model.counts().requests().cacheMiss().count());
    if (latencies) {
      cacheCounter(
          "nv_cache_hit_duration_per_model",
          "Total cache hit duration per model, in microseconds",
          model -> model.micros(LatencyPhase.CACHE_HIT));
      cacheCounter(
          "nv_cache_miss_duration_per_model",
          "Total cache miss (insert+lookup) duration per model, in microseconds",
          model -> model.micros(LatencyPhase.CACHE_MISS));
    }
  }

  /** Writes samples of the models whose configurations enable the response cache. */
  private void cacheCounter(String name, String help, ToLongFunction<MeasuredModel> value) {
    writer.counter(name, help);
    for (MeasuredModel model : models) {
      if (model.caches()) {
        writer.sample(model.labels(), value.applyAsLong(model));
      }
    }
  }

  private void gauges() {
    writer.gauge(
        "nv_inference_pending_request_count",
        "Instantaneous number of pending requests awaiting execution per-model.");
    models.forEach(model -> writer.sample(model.labels(), model.counts().pending()));
    writer.gauge(
        "nereid_inference_detached_requests",
        "Requests that a backend answers after the execution of their batch");
    models.forEach(model -> writer.sample(model.labels(), model.counts().detached()));
    writer.gauge("nv_model_load_duration_secs", "Model load time in seconds");
    for (MeasuredModel model : models) {
      writer.sample(model.labels(), BigDecimal.valueOf(model.counts().load().nanos(), NANO_DIGITS));
    }
    writer.gauge(
        "nereid_model_load_timestamp_seconds", "When the model was loaded, in seconds since 1970");
    for (MeasuredModel model : models) {
      writer.sample(model.labels(), model.counts().load().endMillis() / 1_000);
    }
  }

  /** Writes what executions count. */
  private void counter(String name, String help, ToLongFunction<MeasuredModel> value) {
    writer.counter(name, help);
    for (MeasuredModel model : models) {
      writer.sample(model.executionLabels(), value.applyAsLong(model));
    }
  }
}

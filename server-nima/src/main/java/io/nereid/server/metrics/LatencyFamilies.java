package io.nereid.server.metrics;

import io.nereid.server.telemetry.statistics.LatencyHistograms;
import io.nereid.server.telemetry.statistics.LatencyPhase;
import io.nereid.server.telemetry.statistics.StatisticsSnapshot;
import io.nereid.server.telemetry.statistics.StatisticsSnapshot.Histogram;
import java.math.BigDecimal;
import java.util.List;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The distributions of latencies, under Triton's metric names: quantiles of the last minute, and a
 * histogram of first responses. A model that does not record them has no samples.
 */
final class LatencyFamilies {
  private static final int DIGITS_OF_MILLIS = 6;

  private final PrometheusWriter writer;
  private final List<StatisticsSnapshot> models;
  private final List<Double> quantiles;

  private LatencyFamilies(
      PrometheusWriter writer, List<StatisticsSnapshot> models, List<Double> quantiles) {
    this.writer = writer;
    this.models = models;
    this.quantiles = quantiles;
  }

  /** Writes the families for which at least one model has samples. */
  static void write(
      PrometheusWriter writer, List<StatisticsSnapshot> models, List<Double> quantiles) {
    var families = new LatencyFamilies(writer, models, quantiles);
    if (models.stream().anyMatch(model -> model.firstResponses().isPresent())) {
      families.firstResponses();
    }
    if (models.stream().anyMatch(model -> model.recent().isPresent())) {
      families.summaries();
    }
  }

  private void firstResponses() {
    writer.histogram(
        "nv_inference_first_response_histogram_ms",
        "Duration from request to first response in milliseconds");
    for (StatisticsSnapshot model : models) {
      model.firstResponses().ifPresent(histogram -> firstResponses(model, histogram));
    }
  }

  private void firstResponses(StatisticsSnapshot model, Histogram histogram) {
    SortedMap<String, String> labels = ModelMetrics.labels(model);
    for (Histogram.Bucket bucket : histogram.buckets()) {
      bucket(labels, number(bucket.millis()), bucket.count());
    }
    bucket(labels, "+Inf", histogram.count());
    writer.sample(
        "_sum", labels, BigDecimal.valueOf(histogram.sumNanos(), DIGITS_OF_MILLIS).toPlainString());
    writer.sample("_count", labels, Long.toString(histogram.count()));
  }

  private void bucket(SortedMap<String, String> labels, String bound, long count) {
    writer.sample("_bucket", with(labels, "le", bound), Long.toString(count));
  }

  private void summaries() {
    summary(
        LatencyPhase.REQUEST,
        "nv_inference_request_summary_us",
        "Summary of inference request duration in microseconds (includes cached requests)");
    summary(
        LatencyPhase.QUEUE,
        "nv_inference_queue_summary_us",
        "Summary of inference queuing duration in microseconds (includes cached requests)");
    summary(
        LatencyPhase.COMPUTE_INPUT,
        "nv_inference_compute_input_summary_us",
        ModelMetrics.COMPUTE_INPUT_HELP);
    summary(
        LatencyPhase.COMPUTE_INFER,
        "nv_inference_compute_infer_summary_us",
        ModelMetrics.COMPUTE_INFER_HELP);
    summary(
        LatencyPhase.COMPUTE_OUTPUT,
        "nv_inference_compute_output_summary_us",
        ModelMetrics.COMPUTE_OUTPUT_HELP);
    if (models.stream().anyMatch(StatisticsSnapshot::caches)) {
      summary(
          LatencyPhase.CACHE_HIT,
          "nv_cache_hit_summary_per_model",
          "Summary of cache hit counts/durations per model, in microseconds.");
      summary(
          LatencyPhase.CACHE_MISS,
          "nv_cache_miss_summary_per_model",
          "Summary of cache miss counts/durations per model, in microseconds.");
    }
  }

  private void summary(LatencyPhase phase, String name, String help) {
    writer.summary(name, help);
    for (StatisticsSnapshot model : models) {
      if (model.caches() || !isOfCache(phase)) {
        model.recent().ifPresent(recent -> summary(model, phase, recent));
      }
    }
  }

  private void summary(StatisticsSnapshot model, LatencyPhase phase, LatencyHistograms recent) {
    SortedMap<String, String> labels = ModelMetrics.labels(model);
    for (double share : quantiles) {
      OptionalLong micros = recent.micros(phase, share);
      writer.sample(
          "",
          with(labels, "quantile", number(share)),
          micros.isPresent() ? Long.toString(micros.getAsLong()) : "NaN");
    }
    writer.sample("_sum", labels, Long.toString(ModelMetrics.micros(model, phase)));
    writer.sample("_count", labels, Long.toString(count(model.requests(), phase)));
  }

  private static boolean isOfCache(LatencyPhase phase) {
    return phase == LatencyPhase.CACHE_HIT || phase == LatencyPhase.CACHE_MISS;
  }

  private static long count(StatisticsSnapshot.Requests requests, LatencyPhase phase) {
    return switch (phase) {
      case REQUEST -> requests.success().count();
      case QUEUE -> requests.queue().count();
      case COMPUTE_INPUT -> requests.computeInput().count();
      case COMPUTE_INFER -> requests.computeInfer().count();
      case COMPUTE_OUTPUT -> requests.computeOutput().count();
      case CACHE_HIT -> requests.cacheHit().count();
      case CACHE_MISS -> requests.cacheMiss().count();
    };
  }

  private static SortedMap<String, String> with(
      SortedMap<String, String> labels, String label, String value) {
    SortedMap<String, String> extended = new TreeMap<>(labels);
    extended.put(label, value);
    return extended;
  }

  /** Without trailing zeros. */
  private static String number(double value) {
    return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
  }
}

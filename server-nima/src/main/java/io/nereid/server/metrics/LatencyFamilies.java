package io.nereid.server.metrics;

import io.nereid.server.telemetry.statistics.FirstResponseHistogram;
import io.nereid.server.telemetry.statistics.LatencyPhase;
import io.nereid.server.telemetry.statistics.StatisticsSnapshot;
import java.math.BigDecimal;
import java.util.List;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How latencies are spread, under the names that Triton gives it: quantiles of the last minute, and
 * a histogram of first responses; of the models for which that is kept.
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

  /** Writes the families that any of the models has. */
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

  private void firstResponses(StatisticsSnapshot model, FirstResponseHistogram histogram) {
    SortedMap<String, String> labels = ModelMetrics.labels(model);
    for (FirstResponseHistogram.Bucket bucket : histogram.buckets()) {
      bucket(model, number(bucket.millis()), bucket.count());
    }
    bucket(model, "+Inf", histogram.count());
    writer.sample(
        "_sum", labels, BigDecimal.valueOf(histogram.sumNanos(), DIGITS_OF_MILLIS).toPlainString());
    writer.sample("_count", labels, Long.toString(histogram.count()));
  }

  private void bucket(StatisticsSnapshot model, String bound, long count) {
    writer.sample("_bucket", with(model, "le", bound), Long.toString(count));
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
        "Cumulative compute input duration in microseconds (does not include cached requests)");
    summary(
        LatencyPhase.COMPUTE_INFER,
        "nv_inference_compute_infer_summary_us",
        "Cumulative compute inference duration in microseconds (does not include cached requests)");
    summary(
        LatencyPhase.COMPUTE_OUTPUT,
        "nv_inference_compute_output_summary_us",
        "Cumulative inference compute output duration in microseconds (does not include cached"
            + " requests)");
  }

  private void summary(LatencyPhase phase, String name, String help) {
    writer.summary(name, help);
    for (StatisticsSnapshot model : models) {
      if (model.recent().isEmpty()) {
        continue;
      }
      for (double share : quantiles) {
        OptionalLong micros = model.recent().get().micros(phase, share);
        writer.sample(
            "",
            with(model, "quantile", number(share)),
            micros.isPresent() ? Long.toString(micros.getAsLong()) : "NaN");
      }
      SortedMap<String, String> labels = ModelMetrics.labels(model);
      writer.sample("_sum", labels, Long.toString(model.latency().of(phase)));
      writer.sample("_count", labels, Long.toString(model.requests().success().count()));
    }
  }

  private static SortedMap<String, String> with(
      StatisticsSnapshot model, String label, String value) {
    SortedMap<String, String> labels = new TreeMap<>(ModelMetrics.labels(model));
    labels.put(label, value);
    return labels;
  }

  /** Without zeros behind the point. */
  private static String number(double value) {
    return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
  }
}

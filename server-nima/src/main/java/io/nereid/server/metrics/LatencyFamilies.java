package io.nereid.server.metrics;

import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot.Histogram;
import io.nereid.engine.telemetry.statistics.latency.LatencyHistograms;
import io.nereid.engine.telemetry.statistics.latency.LatencyPhase;
import io.nereid.server.metrics.exposition.BucketBounds;
import io.nereid.server.metrics.exposition.MetricWriter;
import io.nereid.server.metrics.exposition.Quantile;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * The distributions of latencies, under Triton's metric names: quantiles of the last minute, and a
 * histogram of first responses. A model that does not record them has no samples.
 */
final class LatencyFamilies {
  private static final int DIGITS_OF_MILLIS = 6;

  private final MetricWriter writer;
  private final List<MeasuredModel> models;
  private final List<Double> quantiles;

  private LatencyFamilies(MetricWriter writer, List<MeasuredModel> models, List<Double> quantiles) {
    this.writer = writer;
    this.models = models;
    this.quantiles = quantiles;
  }

  /** Writes the families for which at least one model has samples. */
  static void write(MetricWriter writer, List<MeasuredModel> models, List<Double> quantiles) {
    var families = new LatencyFamilies(writer, models, quantiles);
    if (models.stream().anyMatch(model -> model.counts().firstResponses().isPresent())) {
      families.firstResponses();
    }
    if (models.stream().anyMatch(model -> model.counts().recent().isPresent())) {
      families.summaries();
    }
  }

  private void firstResponses() {
    writer.family(
        MetricWriter.Kind.HISTOGRAM,
        "nv_inference_first_response_histogram_ms",
        "Duration from request to first response in milliseconds");
    for (MeasuredModel model : models) {
      model.counts().firstResponses().ifPresent(histogram -> firstResponses(model, histogram));
    }
  }

  private void firstResponses(MeasuredModel model, Histogram histogram) {
    long[] cumulative =
        LongStream.concat(
                histogram.buckets().stream().mapToLong(Histogram.Bucket::count),
                LongStream.of(histogram.count()))
            .toArray();
    writer.histogram(
        model.labels(),
        new BucketBounds(histogram.buckets().stream().map(Histogram.Bucket::millis).toList()),
        cumulative,
        BigDecimal.valueOf(histogram.sumNanos(), DIGITS_OF_MILLIS),
        Optional::empty);
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
    if (models.stream().anyMatch(MeasuredModel::caches)) {
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
    writer.family(MetricWriter.Kind.SUMMARY, name, help);
    for (MeasuredModel model : models) {
      if (model.caches() || !isOfCache(phase)) {
        model.counts().recent().ifPresent(recent -> summary(model, phase, recent));
      }
    }
  }

  private void summary(MeasuredModel model, LatencyPhase phase, LatencyHistograms recent) {
    writer.summary(
        isOfCache(phase) ? model.labels() : model.executionLabels(),
        quantiles.stream().map(share -> new Quantile(share, recent.micros(phase, share))).toList(),
        model.micros(phase),
        count(model.counts().requests(), phase));
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
}

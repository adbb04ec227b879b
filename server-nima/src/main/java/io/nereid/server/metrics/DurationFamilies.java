package io.nereid.server.metrics;

import io.nereid.engine.telemetry.statistics.latency.DurationBuckets;
import io.nereid.engine.telemetry.statistics.latency.DurationDistribution;
import io.nereid.engine.telemetry.statistics.latency.LatencyPhase;
import io.nereid.server.metrics.exposition.BucketBounds;
import io.nereid.server.metrics.exposition.Labels;
import io.nereid.server.metrics.exposition.MetricWriter;
import io.nereid.server.metrics.exposition.NativeHistogram;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The histograms of the phases of requests. A phase that no request of a model has had has none, so
 * models that are not used take no room on the page.
 */
final class DurationFamilies {
  private static final int NANO_DIGITS = 9;
  private static final BucketBounds BOUNDS = new BucketBounds(DurationBuckets.BOUNDS);

  private DurationFamilies() {}

  static void write(MetricWriter writer, List<MeasuredModel> models) {
    writer.family(
        MetricWriter.Kind.HISTOGRAM,
        "nereid_inference_duration_seconds",
        "Duration of a phase of successful inference requests in seconds");
    for (MeasuredModel model : models) {
      Map<LatencyPhase, DurationDistribution> durations = model.counts().durations();
      for (LatencyPhase phase : LatencyPhase.values()) {
        DurationDistribution duration = durations.get(phase);
        if (duration != null) {
          write(writer, model.labels().with("phase", name(phase)), duration);
        }
      }
    }
  }

  private static void write(MetricWriter writer, Labels labels, DurationDistribution duration) {
    writer.histogram(
        labels,
        BOUNDS,
        duration.cumulative(),
        BigDecimal.valueOf(duration.sumNanos(), NANO_DIGITS),
        () -> Optional.of(exact(duration)));
  }

  private static NativeHistogram exact(DurationDistribution duration) {
    return new NativeHistogram(
        DurationBuckets.SCHEMA,
        DurationDistribution.zeroThresholdSeconds(),
        duration.zeroCount(),
        duration.nativeBuckets().stream()
            .map(bucket -> new NativeHistogram.Bucket(bucket.index(), bucket.count()))
            .toList());
  }

  private static String name(LatencyPhase phase) {
    return phase.name().toLowerCase(Locale.ROOT);
  }
}

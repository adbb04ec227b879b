package io.nereid.server.metrics;

import io.nereid.engine.telemetry.statistics.SizeHistogram;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot.BatchCosts;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot.Sizes;
import io.nereid.server.metrics.exposition.BucketBounds;
import io.nereid.server.metrics.exposition.MetricWriter;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What batches cost. A model that does not limit it, or has had no batch, has none, so that others
 * take no room on the page.
 */
final class BatchCostFamilies {
  private static final BucketBounds BOUNDS = new BucketBounds(SizeHistogram.BOUNDS);

  private BatchCostFamilies() {}

  static void write(MetricWriter writer, List<MeasuredModel> models) {
    write(
        writer,
        models,
        "nereid_inference_batch_cost",
        "Cost of a batch, padding included, of models that limit it",
        BatchCosts::cost);
    write(
        writer,
        models,
        "nereid_inference_batch_padding",
        "The part of the cost of a batch that is padding",
        BatchCosts::padding);
  }

  private static void write(
      MetricWriter writer,
      List<MeasuredModel> models,
      String name,
      String help,
      Function<BatchCosts, Sizes> part) {
    writer.family(MetricWriter.Kind.HISTOGRAM, name, help);
    for (MeasuredModel model : models) {
      model.counts().batchCosts().map(part).ifPresent(sizes -> write(writer, model, sizes));
    }
  }

  private static void write(MetricWriter writer, MeasuredModel model, Sizes sizes) {
    writer.histogram(
        model.labels(),
        BOUNDS,
        sizes.cumulative().stream().mapToLong(Long::longValue).toArray(),
        BigDecimal.valueOf(sizes.sum()),
        Optional::empty);
  }
}

package io.nereid.server.metrics;

import io.nereid.server.metrics.exposition.BucketBounds;
import io.nereid.server.metrics.exposition.Labels;
import io.nereid.server.metrics.exposition.MetricWriter;
import io.nereid.spi.metrics.Counter;
import io.nereid.spi.metrics.Gauge;
import io.nereid.spi.metrics.Histogram;
import io.nereid.spi.metrics.Metric;
import io.nereid.spi.metrics.MetricFamily;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The metrics that backends count themselves, under the names that they chose. */
final class BackendFamilies {
  private BackendFamilies() {}

  static void write(MetricWriter writer, List<MetricFamily> families) {
    for (MetricFamily family : families) {
      var kind = MetricWriter.Kind.valueOf(family.kind().name());
      writer.family(kind, family.name(), family.help());
      for (MetricFamily.Sample sample : family.samples()) {
        write(writer, new Labels(sample.labels()), sample.metric());
      }
    }
  }

  private static void write(MetricWriter writer, Labels labels, Metric metric) {
    switch (metric) {
      case Counter counter -> writer.sample(labels, counter.value());
      case Gauge gauge -> {
        double value = gauge.value();
        if (Double.isFinite(value)) {
          writer.sample(labels, BigDecimal.valueOf(value));
        }
      }
      case Histogram histogram ->
          writer.histogram(
              labels,
              new BucketBounds(Arrays.stream(histogram.bounds()).boxed().toList()),
              histogram.cumulative(),
              BigDecimal.valueOf(histogram.sum()),
              Optional::empty);
    }
  }
}

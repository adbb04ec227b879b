package io.nereid.server.metrics.exposition;

import io.nereid.server.protobuf.prometheus.Prometheus.Bucket;
import io.nereid.server.protobuf.prometheus.Prometheus.BucketSpan;
import io.nereid.server.protobuf.prometheus.Prometheus.Counter;
import io.nereid.server.protobuf.prometheus.Prometheus.Gauge;
import io.nereid.server.protobuf.prometheus.Prometheus.Histogram;
import io.nereid.server.protobuf.prometheus.Prometheus.LabelPair;
import io.nereid.server.protobuf.prometheus.Prometheus.Metric;
import io.nereid.server.protobuf.prometheus.Prometheus.MetricFamily;
import io.nereid.server.protobuf.prometheus.Prometheus.MetricType;
import io.nereid.server.protobuf.prometheus.Prometheus.Summary;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;

/**
 * Writes metrics as messages of Prometheus' protobuf format, each behind its size. It is the format
 * of native histograms. Families without samples are left out.
 */
public final class ProtobufWriter implements MetricWriter {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(1 << 14);
  private MetricFamily.Builder family = MetricFamily.newBuilder();

  @Override
  public void family(Kind kind, String name, String help) {
    endFamily();
    family =
        MetricFamily.newBuilder()
            .setName(name)
            .setHelp(help)
            .setType(MetricType.valueOf(kind.name()));
  }

  private void endFamily() {
    if (family.getMetricCount() > 0) {
      try {
        family.build().writeDelimitedTo(bytes);
      } catch (IOException impossible) {
        throw new UncheckedIOException(impossible);
      }
    }
  }

  private Metric.Builder metric(Labels labels) {
    Metric.Builder metric = family.addMetricBuilder();
    labels
        .values()
        .forEach(
            (name, value) -> metric.addLabel(LabelPair.newBuilder().setName(name).setValue(value)));
    return metric;
  }

  @Override
  public void sample(Labels labels, BigDecimal value) {
    if (family.getType() == MetricType.COUNTER) {
      metric(labels).setCounter(Counter.newBuilder().setValue(value.doubleValue()));
    } else {
      metric(labels).setGauge(Gauge.newBuilder().setValue(value.doubleValue()));
    }
  }

  @Override
  public void histogram(
      Labels labels,
      BucketBounds bounds,
      long[] cumulative,
      BigDecimal sum,
      Supplier<Optional<NativeHistogram>> exact) {
    Histogram.Builder histogram =
        Histogram.newBuilder()
            .setSampleCount(cumulative[cumulative.length - 1])
            .setSampleSum(sum.doubleValue());
    for (int i = 0; i < bounds.size(); i++) {
      histogram.addBucket(
          Bucket.newBuilder().setCumulativeCount(cumulative[i]).setUpperBound(bounds.bound(i)));
    }
    exact.get().ifPresent(buckets -> addNative(histogram, buckets));
    metric(labels).setHistogram(histogram);
  }

  /** Adds buckets: runs of indices without gaps, and the differences between counts. */
  private static void addNative(Histogram.Builder histogram, NativeHistogram exact) {
    histogram
        .setSchema(exact.schema())
        .setZeroThreshold(exact.zeroThreshold())
        .setZeroCount(exact.zeroCount());
    OptionalInt next = OptionalInt.empty();
    long countBefore = 0;
    for (NativeHistogram.Bucket bucket : exact.buckets()) {
      int spans = histogram.getPositiveSpanCount();
      if (next.isPresent() && next.getAsInt() == bucket.index()) {
        BucketSpan.Builder span = histogram.getPositiveSpanBuilder(spans - 1);
        span.setLength(span.getLength() + 1);
      } else {
        histogram.addPositiveSpan(
            BucketSpan.newBuilder().setOffset(bucket.index() - next.orElse(0)).setLength(1));
      }
      next = OptionalInt.of(bucket.index() + 1);
      histogram.addPositiveDelta(bucket.count() - countBefore);
      countBefore = bucket.count();
    }
  }

  @Override
  public void summary(Labels labels, List<Quantile> quantiles, long sum, long count) {
    Summary.Builder summary = Summary.newBuilder().setSampleCount(count).setSampleSum((double) sum);
    for (Quantile quantile : quantiles) {
      summary
          .addQuantileBuilder()
          .setQuantile(quantile.share())
          .setValue(
              quantile.value().isPresent() ? (double) quantile.value().getAsLong() : Double.NaN);
    }
    metric(labels).setSummary(summary);
  }

  @Override
  public byte[] bytes() {
    endFamily();
    family = MetricFamily.newBuilder();
    return bytes.toByteArray();
  }
}

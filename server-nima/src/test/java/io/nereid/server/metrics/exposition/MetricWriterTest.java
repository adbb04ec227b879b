package io.nereid.server.metrics.exposition;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.metrics.exposition.NativeHistogram.Bucket;
import io.nereid.server.protobuf.prometheus.Prometheus;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Both formats, from the same calls. Source: Prometheus, Exposition formats. */
class MetricWriterTest {
  private static final Labels MODEL = Labels.of("version", "3").with("model", "m");

  private static void writeAll(MetricWriter writer) {
    writer.counter("calls_total", "Calls");
    writer.sample(MODEL.with("reason", "a\"b\\c\nd"), 7);
    writer.gauge("load", "Load", new BigDecimal("0.25"));
    writer.family(MetricWriter.Kind.HISTOGRAM, "wait_seconds", "Waits");
    writer.histogram(
        MODEL,
        new BucketBounds(List.of(0.001, 1.0)),
        new long[] {2, 5, 6},
        new BigDecimal("12.5"),
        () ->
            Optional.of(
                new NativeHistogram(
                    2, 0.5, 1, List.of(new Bucket(-3, 2), new Bucket(-2, 1), new Bucket(4, 2)))));
    writer.family(MetricWriter.Kind.SUMMARY, "size", "Sizes");
    writer.summary(
        MODEL,
        List.of(new Quantile(0.5, OptionalLong.of(20)), new Quantile(0.999, OptionalLong.empty())),
        60,
        3);
    writer.counter("unused_total", "A family without samples");
  }

  @Test
  void textHasHeadsAndSamplesWithSortedLabels() {
    var writer = new TextWriter();
    writeAll(writer);

    assertThat(new String(writer.bytes(), StandardCharsets.UTF_8))
        .isEqualTo(
            """
            # HELP calls_total Calls
            # TYPE calls_total counter
            calls_total{model="m",reason="a\\"b\\\\c\\nd",version="3"} 7
            # HELP load Load
            # TYPE load gauge
            load 0.25
            # HELP wait_seconds Waits
            # TYPE wait_seconds histogram
            wait_seconds_bucket{le="0.001",model="m",version="3"} 2
            wait_seconds_bucket{le="1",model="m",version="3"} 5
            wait_seconds_bucket{le="+Inf",model="m",version="3"} 6
            wait_seconds_sum{model="m",version="3"} 12.5
            wait_seconds_count{model="m",version="3"} 6
            # HELP size Sizes
            # TYPE size summary
            size{model="m",quantile="0.5",version="3"} 20
            size{model="m",quantile="0.999",version="3"} NaN
            size_sum{model="m",version="3"} 60
            size_count{model="m",version="3"} 3
            # HELP unused_total A family without samples
            # TYPE unused_total counter
            """);
    assertThat(new ParsedPage(new String(writer.bytes(), StandardCharsets.UTF_8)).types())
        .hasSize(5);
  }

  @Test
  void protobufHasFamiliesBehindTheirSizesWithClassicAndNativeBuckets() throws IOException {
    var writer = new ProtobufWriter();
    writeAll(writer);

    var input = new ByteArrayInputStream(writer.bytes());
    List<Prometheus.MetricFamily> families = new ArrayList<>();
    while (input.available() > 0) {
      families.add(Prometheus.MetricFamily.parseDelimitedFrom(input));
    }

    assertThat(families)
        .extracting(Prometheus.MetricFamily::getName)
        .containsExactly("calls_total", "load", "wait_seconds", "size");
    Prometheus.Metric calls = families.get(0).getMetric(0);
    assertThat(families.get(0).getType()).isEqualTo(Prometheus.MetricType.COUNTER);
    assertThat(calls.getCounter().getValue()).isEqualTo(7);
    assertThat(calls.getLabelList())
        .extracting(label -> label.getName() + "=" + label.getValue())
        .containsExactly("model=m", "reason=a\"b\\c\nd", "version=3");
    assertThat(families.get(1).getMetric(0).getGauge().getValue()).isEqualTo(0.25);
    Prometheus.Histogram waits = families.get(2).getMetric(0).getHistogram();
    assertThat(waits.getSampleCount()).isEqualTo(6);
    assertThat(waits.getSampleSum()).isEqualTo(12.5);
    assertThat(waits.getBucketList())
        .extracting(Prometheus.Bucket::getUpperBound)
        .containsExactly(0.001, 1.0);
    assertThat(waits.getSchema()).isEqualTo(2);
    assertThat(waits.getZeroThreshold()).isEqualTo(0.5);
    assertThat(waits.getZeroCount()).isEqualTo(1);
    assertThat(waits.getPositiveSpanList())
        .extracting(span -> span.getOffset() + "+" + span.getLength())
        .containsExactly("-3+2", "5+1");
    assertThat(waits.getPositiveDeltaList()).containsExactly(2L, -1L, 1L);
    Prometheus.Summary sizes = families.get(3).getMetric(0).getSummary();
    assertThat(sizes.getQuantile(0).getValue()).isEqualTo(20);
    assertThat(sizes.getQuantile(1).getValue()).isNaN();
    assertThat(sizes.getSampleCount()).isEqualTo(3);
  }
}

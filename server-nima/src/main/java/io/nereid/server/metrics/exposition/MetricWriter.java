package io.nereid.server.metrics.exposition;

import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A writer of metrics: a family, then its samples, then the next family. A family is begun once.
 *
 * <pre>{@code
 * writer.counter("requests_total", "Requests that have ended");
 * writer.sample(Labels.of("model", "m"), 7);
 * }</pre>
 */
public sealed interface MetricWriter permits TextWriter, ProtobufWriter {
  /** The kinds of families, by their names in the formats. */
  enum Kind {
    COUNTER,
    GAUGE,
    HISTOGRAM,
    SUMMARY
  }

  /**
   * Begins a family.
   *
   * @param help one line without escapes
   */
  void family(Kind kind, String name, String help);

  /** Writes a sample of a counter or a gauge. */
  void sample(Labels labels, BigDecimal value);

  /** As the other. */
  default void sample(Labels labels, long value) {
    sample(labels, BigDecimal.valueOf(value));
  }

  /**
   * Writes a histogram.
   *
   * @param cumulative the observations up to each bound; last, all of them
   * @param exact its native form, for the formats that have one; may not be asked for
   */
  void histogram(
      Labels labels,
      BucketBounds bounds,
      long[] cumulative,
      BigDecimal sum,
      Supplier<Optional<NativeHistogram>> exact);

  /** Writes a summary. */
  void summary(Labels labels, List<Quantile> quantiles, long sum, long count);

  /** What was written; the last call. */
  byte[] bytes();

  /** Begins a family of counters. */
  default void counter(String name, String help) {
    family(Kind.COUNTER, name, help);
  }

  /** Writes a family of one counter without labels. */
  default void counter(String name, String help, long value) {
    counter(name, help);
    sample(Labels.NONE, value);
  }

  /** Begins a family of gauges. */
  default void gauge(String name, String help) {
    family(Kind.GAUGE, name, help);
  }

  /** Writes a family of one gauge without labels. */
  default void gauge(String name, String help, long value) {
    gauge(name, help);
    sample(Labels.NONE, value);
  }

  /** Writes a family of one gauge without labels. */
  default void gauge(String name, String help, BigDecimal value) {
    gauge(name, help);
    sample(Labels.NONE, value);
  }
}

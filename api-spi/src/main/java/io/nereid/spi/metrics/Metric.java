package io.nereid.spi.metrics;

/** One metric with its labels. Thread-safe. */
public sealed interface Metric permits Counter, Gauge, Histogram {
  /** The kinds of metrics, of which all metrics of a name have one. */
  enum Kind {
    COUNTER,
    GAUGE,
    HISTOGRAM
  }

  /** What kind this is. */
  default Kind kind() {
    return switch (this) {
      case Counter _ -> Kind.COUNTER;
      case Gauge _ -> Kind.GAUGE;
      case Histogram _ -> Kind.HISTOGRAM;
    };
  }
}

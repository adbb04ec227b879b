package io.nereid.spi.metrics;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All metrics of one name, of whatever backend.
 *
 * @param samples not empty
 */
public record MetricFamily(Metric.Kind kind, String name, String help, List<Sample> samples) {
  public MetricFamily {
    samples = List.copyOf(samples);
  }

  /**
   * A metric and its labels.
   *
   * @param labels by name; {@code backend}, of a model also {@code model} and {@code version}, and
   *     those of the backend
   * @param metric as it counts
   */
  public record Sample(Map<String, String> labels, Metric metric) {
    public Sample {
      labels = Map.copyOf(labels);
    }
  }

  /** The metric that has all of these labels, perhaps among others; empty if there is none. */
  public Optional<Metric> metric(Map<String, String> labels) {
    return samples.stream()
        .filter(sample -> sample.labels().entrySet().containsAll(labels.entrySet()))
        .map(Sample::metric)
        .findFirst();
  }
}

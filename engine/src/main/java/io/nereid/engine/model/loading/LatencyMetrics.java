package io.nereid.engine.model.loading;

import io.nereid.engine.model.ModelId;
import io.nereid.engine.scheduling.Clock;
import io.nereid.engine.telemetry.statistics.ModelStatistics;
import io.nereid.engine.telemetry.statistics.latency.LatencyRecording;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.protocol.config.ModelMetrics.MetricControl;
import io.nereid.request.ModelKey;
import java.lang.System.Logger.Level;
import java.util.List;

/**
 * The latencies that are recorded beside their sums, as {@code --metrics-config} and a model's
 * {@code model_metrics} select them.
 *
 * @param summaries whether quantiles of recent requests are recorded
 * @param histograms whether a histogram of first responses is recorded
 */
public record LatencyMetrics(boolean summaries, boolean histograms) {
  /** Records sums only. */
  public static final LatencyMetrics NONE = new LatencyMetrics(false, false);

  private static final System.Logger LOG = System.getLogger(LatencyMetrics.class.getName());

  private static final String FIRST_RESPONSES = "nv_inference_first_response_histogram_ms";
  private static final List<Double> FIRST_RESPONSE_MILLIS = List.of(100.0, 500.0, 2000.0, 5000.0);

  ModelStatistics statistics(ModelId id, ModelKey key, ModelConfig config, Clock clock) {
    List<Double> bounds = firstResponseMillis(key, config);
    return new ModelStatistics(
        id.namespace(),
        key,
        config.getMetricTagsMap(),
        config.getResponseCache().getEnable(),
        new LatencyRecording(summaries, histograms ? bounds : List.of(), clock::nanos));
  }

  private static List<Double> firstResponseMillis(ModelKey key, ModelConfig config) {
    List<Double> millis = FIRST_RESPONSE_MILLIS;
    for (MetricControl control : config.getModelMetrics().getMetricControlList()) {
      String family = control.getMetricIdentifier().getFamily();
      if (family.equals(FIRST_RESPONSES)) {
        millis =
            control.getHistogramOptions().getBucketsList().stream()
                .filter(Double::isFinite) // +Inf is implied
                .sorted()
                .distinct()
                .toList();
      } else {
        LOG.log(
            Level.WARNING,
            "model ''{0}'': Metric family ''{1}'' in ''metric_identifier'' is not a customizable"
                + " metric in Triton core.",
            key.name(),
            family);
      }
    }
    return millis;
  }
}

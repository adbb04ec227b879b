package io.nereid.engine.telemetry.statistics;

import io.nereid.engine.telemetry.statistics.latency.LatencyRecording;
import io.nereid.request.ModelKey;
import java.util.Map;

/** Statistics with counts and sums only, of a model without response cache. */
public final class TestStatistics {
  private TestStatistics() {}

  public static ModelStatistics of(ModelKey model) {
    return of(model, Map.of());
  }

  public static ModelStatistics of(ModelKey model, Map<String, String> metricTags) {
    return new ModelStatistics("", model, metricTags, false, LatencyRecording.NONE);
  }
}

package io.nereid.server.metrics;

import io.nereid.server.telemetry.statistics.LifeCycleSnapshot;
import io.nereid.server.telemetry.statistics.LifeCycleSnapshot.VersionState;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The states of models, and how often they were loaded and unloaded. */
final class LifeCycleFamilies {
  private LifeCycleFamilies() {}

  static void write(PrometheusWriter writer, LifeCycleSnapshot models) {
    writer.gauge("nereid_model_state", "The state of a model version, as a label; always 1");
    for (VersionState version : models.states()) {
      SortedMap<String, String> labels = new TreeMap<>();
      labels.put("model", version.model().name());
      labels.put("version", Long.toString(version.model().version()));
      labels.put("state", version.state());
      if (!version.namespace().isEmpty()) {
        labels.put("namespace", version.namespace());
      }
      writer.sample(labels, 1);
    }
    writer.counter(
        "nereid_model_loads_total", "Model versions that were loaded or reloaded, or failed to");
    writer.sample(new TreeMap<>(Map.of("outcome", "success")), models.loads());
    writer.sample(new TreeMap<>(Map.of("outcome", "failure")), models.failedLoads());
    writer.counter(
        "nereid_model_unloads_total", "Model versions that were unloaded or replaced by a reload");
    writer.sample(new TreeMap<>(), models.unloads());
  }
}

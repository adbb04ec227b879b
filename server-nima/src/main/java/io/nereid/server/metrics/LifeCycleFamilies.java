package io.nereid.server.metrics;

import io.nereid.engine.telemetry.statistics.LifeCycleSnapshot;
import io.nereid.engine.telemetry.statistics.LifeCycleSnapshot.VersionState;
import io.nereid.server.metrics.exposition.Labels;
import io.nereid.server.metrics.exposition.MetricWriter;

/** The states of models, and how often they were loaded and unloaded. */
final class LifeCycleFamilies {
  private LifeCycleFamilies() {}

  static void write(MetricWriter writer, LifeCycleSnapshot models) {
    writer.gauge("nereid_model_state", "The state of a model version, as a label; always 1");
    for (VersionState version : models.states()) {
      Labels labels =
          Labels.of("model", version.model())
              .with(
                  "version",
                  version.version().isPresent() ? Long.toString(version.version().getAsLong()) : "")
              .with("state", version.state());
      if (!version.namespace().isEmpty()) {
        labels = labels.with("namespace", version.namespace());
      }
      writer.sample(labels, 1);
    }
    writer.counter(
        "nereid_model_loads_total", "Model versions that were loaded or reloaded, or failed to");
    writer.sample(Labels.of("outcome", "success"), models.loads());
    writer.sample(Labels.of("outcome", "failure"), models.failedLoads());
    writer.counter(
        "nereid_model_unloads_total",
        "Model versions that were unloaded or replaced by a reload",
        models.unloads());
  }
}

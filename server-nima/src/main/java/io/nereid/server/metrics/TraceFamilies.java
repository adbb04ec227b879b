package io.nereid.server.metrics;

import io.nereid.engine.telemetry.trace.TraceSink;
import io.nereid.server.metrics.exposition.Labels;
import io.nereid.server.metrics.exposition.MetricWriter;

/** What was lost of the traces of requests. */
final class TraceFamilies {
  private TraceFamilies() {}

  static void write(MetricWriter writer, TraceSink traces) {
    TraceSink.Dropped dropped = traces.dropped();
    writer.counter(
        "nereid_trace_dropped_total",
        "Traces that were not written, or spans that were not sent: too many waited, or it failed");
    writer.sample(Labels.of("what", dropped.what()), dropped.count());
  }
}

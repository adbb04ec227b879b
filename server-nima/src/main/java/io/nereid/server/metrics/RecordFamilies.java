package io.nereid.server.metrics;

import io.nereid.engine.telemetry.trace.TraceSink;
import io.nereid.server.metrics.exposition.Labels;
import io.nereid.server.metrics.exposition.MetricWriter;
import io.nereid.server.telemetry.access.AccessLog;

/** What was recorded of requests, and lost: lines of the access log, and traces. */
final class RecordFamilies {
  private RecordFamilies() {}

  static void write(MetricWriter writer, AccessLog log) {
    writer.counter(
        "nereid_access_log_lines_total",
        "Lines of the access log that were written",
        log.written());
    writer.counter("nereid_access_log_lost_total", "Lines of the access log that were lost");
    writer.sample(Labels.of("reason", "queue_full"), log.unqueued());
    writer.sample(Labels.of("reason", "write_failed"), log.unwritten());
  }

  static void write(MetricWriter writer, TraceSink traces) {
    TraceSink.Dropped dropped = traces.dropped();
    writer.counter(
        "nereid_trace_dropped_total",
        "Traces that were not written, or spans that were not sent: too many waited, or it failed");
    writer.sample(Labels.of("what", dropped.what()), dropped.count());
  }
}

package io.nereid.server.metrics;

import io.nereid.server.metrics.exposition.Labels;
import io.nereid.server.metrics.exposition.MetricWriter;
import io.nereid.server.telemetry.access.AccessLog;

/** The lines of the access log. */
final class AccessLogFamilies {
  private AccessLogFamilies() {}

  static void write(MetricWriter writer, AccessLog log) {
    writer.counter(
        "nereid_access_log_lines_total",
        "Lines of the access log that were written",
        log.written());
    writer.counter("nereid_access_log_lost_total", "Lines of the access log that were lost");
    writer.sample(Labels.of("reason", "queue_full"), log.unqueued());
    writer.sample(Labels.of("reason", "write_failed"), log.unwritten());
  }
}

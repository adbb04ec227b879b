package io.nereid.server.metrics;

import io.nereid.engine.telemetry.trace.TraceSink;
import io.nereid.server.metrics.exposition.Labels;
import io.nereid.server.metrics.exposition.MetricWriter;
import io.nereid.server.telemetry.access.AccessLog;
import java.util.TreeMap;

/** The build, the certificates, and what was recorded and lost: lines of the logs, and traces. */
final class ServerFamilies {
  private ServerFamilies() {}

  static void write(MetricWriter writer, ServerStatus server) {
    writer.gauge("nereid_build_info", "The version of the server and of its Java; always 1");
    writer.sample(
        Labels.of("version", server.version()).with("java", Runtime.version().toString()), 1);
    if (!server.expiries().isEmpty()) {
      writer.gauge(
          "nereid_certificate_expiry_timestamp_seconds",
          "When the first certificate of a listener expires, in seconds since 1970");
      new TreeMap<>(server.expiries())
          .forEach((listener, expiry) ->
              writer.sample(Labels.of("listener", listener), expiry.getEpochSecond()));
    }
    writer.counter(
        "nereid_log_lost_lines_total",
        "Lines of the log that could not be written",
        server.lostLogLines());
  }

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

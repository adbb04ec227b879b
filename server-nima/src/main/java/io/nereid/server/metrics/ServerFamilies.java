package io.nereid.server.metrics;

import io.nereid.server.metrics.exposition.Labels;
import io.nereid.server.metrics.exposition.MetricWriter;
import java.util.TreeMap;

/** The build, the certificates, and the log. */
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
}

package io.nereid.server.metrics;

import io.nereid.server.http.connection.HttpListener;
import io.nereid.server.http.limits.Refusal;
import java.util.Map;
import java.util.TreeMap;

/** Writes the metrics of HTTP connections. */
final class ConnectionFamilies {
  private ConnectionFamilies() {}

  static void write(PrometheusWriter writer, HttpListener http) {
    writer.gauge("nereid_http_connections", "Open connections of HTTP", http.connections());
    writer.gauge(
        "nereid_http_idle_connections",
        "Open connections of HTTP that wait for a request",
        http.idleConnections());
    writer.counter(
        "nereid_http_refusals_total",
        "Connections and requests of HTTP that were refused or ended, by the reason");
    for (Map.Entry<Refusal, Long> refusal : http.refusals().counts().entrySet()) {
      writer.sample(new TreeMap<>(Map.of("reason", refusal.getKey().label())), refusal.getValue());
    }
  }
}

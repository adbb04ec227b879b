package io.nereid.server.metrics;

import io.nereid.engine.telemetry.refusal.RefusalKind;
import io.nereid.engine.telemetry.refusal.Refusals;
import io.nereid.server.grpc.connection.GrpcConnections;
import io.nereid.server.http.connection.HttpListener;
import io.nereid.server.metrics.exposition.Labels;
import io.nereid.server.metrics.exposition.MetricWriter;
import java.util.List;

/** Writes the metrics of the connections of HTTP and of gRPC. */
final class ConnectionFamilies {
  private ConnectionFamilies() {}

  static void write(MetricWriter writer, HttpListener http) {
    writer.gauge("nereid_http_connections", "Open connections of HTTP", http.connections());
    writer.gauge(
        "nereid_http_idle_connections",
        "Open connections of HTTP that wait for a request",
        http.idleConnections());
    writer.counter(
        "nereid_http_refusals_total",
        "Connections and requests of HTTP that were refused or ended, by the reason");
    write(writer, http.refusals());
  }

  static void write(MetricWriter writer, GrpcConnections grpc) {
    writer.gauge("nereid_grpc_connections", "Open connections of gRPC", grpc.count());
    writer.gauge("nereid_grpc_calls", "Calls of gRPC in flight", grpc.calls());
    writer.gauge(
        "nereid_grpc_transport_memory_bytes",
        "Messages of gRPC that have come in part, and responses that were not read",
        grpc.memory().usedBytes());
    writer.gauge(
        "nereid_grpc_event_loop_pending_tasks",
        "Tasks of gRPC's event loops that wait, responses among them, by the event loop");
    List<Integer> tasks = grpc.pendingTasks();
    for (int loop = 0; loop < tasks.size(); loop++) {
      writer.sample(Labels.of("loop", Integer.toString(loop)), tasks.get(loop));
    }
    writer.counter(
        "nereid_grpc_refusals_total",
        "Connections, calls and messages of gRPC that were refused or ended, by the reason");
    write(writer, grpc.refusals());
  }

  private static <K extends Enum<K> & RefusalKind> void write(
      MetricWriter writer, Refusals<K> refusals) {
    refusals
        .counts()
        .forEach((kind, count) -> writer.sample(Labels.of("reason", kind.label()), count));
  }
}

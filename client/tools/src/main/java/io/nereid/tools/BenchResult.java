package io.nereid.tools;

import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.nereid.tools.load.RunStatistics;
import io.nereid.tools.load.arrival.ArrivalProcess;
import java.util.Locale;

/**
 * What one measurement found.
 *
 * @param seconds of the window
 * @param rows of a request, on average
 */
record BenchResult(
    ArrivalProcess process,
    double seconds,
    double rows,
    RunStatistics requests,
    ServerTimes server) {
  /** The headings of {@link #row}. */
  static final String HEADER =
      "loop    in flight  offered/s  requests/s      rows/s   batch    p50 ms    p90 ms    p99 ms"
          + "  p99.9 ms    max ms  queue ms  compute ms  failed";

  private static final double NANOS_PER_MILLI = 1e6;
  private static final double NANOS_PER_SECOND = 1e9;

  /** Requests per second of the window that were answered, until the last of them was. */
  double rate() {
    double late = requests.lateNanos() / NANOS_PER_SECOND;
    return requests.latencyNanos().getTotalCount() / (seconds + late);
  }

  /** Requests per second that were due; NaN in a closed loop. */
  private double offered() {
    return process instanceof ArrivalProcess.OpenLoop open ? open.perSecond() : Double.NaN;
  }

  private String loop() {
    return process instanceof ArrivalProcess.OpenLoop ? "open" : "closed";
  }

  private double millis(double percent) {
    return requests.latencyNanos().getValueAtPercentile(percent) / NANOS_PER_MILLI;
  }

  private double maxMillis() {
    return requests.latencyNanos().getMaxValue() / NANOS_PER_MILLI;
  }

  /** A row of a table. */
  String row() {
    return String.format(
            Locale.ROOT,
            "%-6s %10d %10.1f %11.1f %11.1f %7.2f %9.3f %9.3f %9.3f %9.3f %9.3f %9.3f %11.3f %7d",
            loop(),
            process.inFlight(),
            offered(),
            rate(),
            rate() * rows,
            server.batch(),
            millis(50),
            millis(90),
            millis(99),
            millis(99.9),
            maxMillis(),
            server.queueMillis(),
            server.computeMillis(),
            requests.errors())
        .replace("NaN", "  -");
  }

  /** The same as JSON; what is not known is null. */
  JsonObject json() {
    JsonObject json = new JsonObject();
    json.addProperty("loop", loop());
    json.addProperty("in_flight", process.inFlight());
    put(json, "offered_per_s", offered());
    put(json, "requests_per_s", rate());
    put(json, "rows_per_s", rate() * rows);
    json.addProperty("requests", requests.latencyNanos().getTotalCount());
    put(json, "batch_rows", server.batch());
    put(json, "p50_ms", millis(50));
    put(json, "p90_ms", millis(90));
    put(json, "p99_ms", millis(99));
    put(json, "p99_9_ms", millis(99.9));
    put(json, "max_ms", maxMillis());
    put(json, "mean_ms", requests.latencyNanos().getMean() / NANOS_PER_MILLI);
    put(json, "queue_ms", server.queueMillis());
    put(json, "compute_ms", server.computeMillis());
    json.addProperty("failed", requests.errors());
    if (requests.errors() > 0) {
      json.addProperty("first_failure", requests.firstError());
    }
    return json;
  }

  private static void put(JsonObject json, String name, double value) {
    json.add(
        name,
        Double.isFinite(value)
            ? new JsonPrimitive(Math.round(value * 1000) / 1000.0)
            : JsonNull.INSTANCE);
  }
}

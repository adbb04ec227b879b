package io.nereid.tools;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.nereid.error.InferenceException;
import io.nereid.tools.load.LoadWindow;
import io.nereid.tools.load.RunStatistics;
import io.nereid.tools.load.arrival.ArrivalProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/**
 * The measurements of a model, one after the other: each is a row of a table as soon as it is done.
 */
final class BenchRuns {
  private static final double NANOS_PER_SECOND = 1e9;

  private final AskedModel model;
  private final EncodedRequests encoded;
  private final double rows;
  private final LoadWindow window;
  private final PrintWriter out;
  private final List<BenchResult> results = new ArrayList<>();

  /**
   * @param rows of a request, on average
   */
  BenchRuns(
      AskedModel model, EncodedRequests encoded, double rows, LoadWindow window, PrintWriter out) {
    this.model = model;
    this.encoded = encoded;
    this.rows = rows;
    this.window = window;
    this.out = out;
    out.println(BenchResult.HEADER);
  }

  /**
   * Measures.
   *
   * @throws InferenceException if the server cannot be reached, or ends
   * @throws InterruptedException if interrupted, after what was measured until then
   */
  BenchResult run(ArrivalProcess process) throws InterruptedException {
    ServerTimes server = new ServerTimes(model);
    RunStatistics statistics;
    try {
      statistics = window.run(process, encoded.load(process.inFlight()), server);
    } catch (IOException | TimeoutException | IllegalStateException failed) {
      throw InferenceException.unavailable(String.valueOf(failed.getMessage()));
    }
    double seconds = statistics.windowNanos() / NANOS_PER_SECOND;
    BenchResult result = new BenchResult(process, seconds, rows, statistics, server);
    results.add(result);
    out.println(result.row());
    if (statistics.errors() > 0) {
      out.printf(
          "  %d requests failed, the first: %s%n", statistics.errors(), statistics.firstError());
    } else if (statistics.warmupErrors() > 0) {
      out.printf(
          "  %d requests of the warm-up failed, the first: %s%n",
          statistics.warmupErrors(), statistics.firstError());
    }
    out.flush();
    if (Thread.interrupted()) {
      out.printf(Locale.ROOT, "  stopped after %.3g s%n", seconds);
      throw new InterruptedException();
    }
    return result;
  }

  /** How many requests failed, without those of warm-ups. */
  long failures() {
    return results.stream().mapToLong(result -> result.requests().errors()).sum();
  }

  /** What was found, in a sentence. */
  String verdict(SaturationSearch found) {
    return String.format(
        Locale.ROOT,
        found.isFound()
            ? "saturated at %.1f requests/s, %.1f rows/s, with %d in flight"
            : "not saturated at %.1f requests/s, %.1f rows/s, with %d in flight: --max-inflight allows more",
        found.rate(),
        found.rate() * rows,
        found.inFlight());
  }

  /** All figures. */
  String json(URI server, Optional<SaturationSearch> saturation) {
    JsonObject json = new JsonObject();
    json.addProperty("model", model.metadata().name());
    json.addProperty("server", server.toString());
    json.addProperty("rows_of_request", rows);
    json.addProperty("seconds", window.measured().toNanos() / NANOS_PER_SECOND);
    JsonArray runs = new JsonArray();
    results.forEach(result -> runs.add(result.json()));
    json.add("runs", runs);
    saturation.ifPresent(found -> {
      JsonObject object = new JsonObject();
      object.addProperty("found", found.isFound());
      object.addProperty("requests_per_s", found.rate());
      object.addProperty("in_flight", found.inFlight());
      json.add("saturation", object);
    });
    return new GsonBuilder().setPrettyPrinting().serializeNulls().create().toJson(json) + "\n";
  }
}

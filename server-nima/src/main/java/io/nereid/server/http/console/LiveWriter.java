package io.nereid.server.http.console;

import com.google.gson.stream.JsonWriter;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.engine.telemetry.statistics.latency.DurationBuckets;
import io.nereid.engine.telemetry.statistics.latency.DurationDistribution;
import io.nereid.engine.telemetry.statistics.latency.LatencyPhase;
import io.nereid.server.codec.json.control.JsonBody;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A writer of the counts behind rates and quantiles. They only grow while a model is loaded, so a
 * page subtracts two responses. What is zero is left out: a thousand models that are not used take
 * little room.
 */
final class LiveWriter {
  private LiveWriter() {}

  /**
   * The body.
   *
   * @param nanos when the counts were read, of a clock without a known origin
   * @param changes differs if a model has changed its state
   * @param obstacle why the server is not ready, if it is not
   */
  static byte[] write(
      long nanos, long changes, Optional<String> obstacle, List<StatisticsSnapshot> counts) {
    return JsonBody.of(json -> {
      json.beginObject().name("nanos").value(nanos).name("changes").value(changes);
      json.name("obstacle").value(obstacle.orElse(""));
      json.name("bucketsPerDoubling").value(1 << DurationBuckets.SCHEMA);
      json.name("models").beginArray();
      for (StatisticsSnapshot each : counts) {
        model(json, each);
      }
      json.endArray().endObject();
    });
  }

  private static void model(JsonWriter json, StatisticsSnapshot counts) throws IOException {
    json.beginObject().name("name").value(counts.model().name());
    json.name("version").value(Long.toString(counts.model().version()));
    number(json, "success", counts.requests().success().count());
    number(json, "inferences", counts.inferenceCount());
    number(json, "executions", counts.executionCount());
    number(json, "cacheHits", counts.requests().cacheHit().count());
    number(json, "pending", counts.pending());
    reasons(json, "failures", counts.failures());
    reasons(json, "refusals", counts.refusals());
    if (!counts.batches().isEmpty()) {
      json.name("batches").beginArray();
      for (var batch : counts.batches().entrySet()) {
        pair(json, batch.getKey(), batch.getValue().computeInfer().count());
      }
      json.endArray();
    }
    if (!counts.durations().isEmpty()) {
      json.name("phases").beginObject();
      for (LatencyPhase phase : LatencyPhase.values()) {
        DurationDistribution durations = counts.durations().get(phase);
        if (durations != null) {
          json.name(phase.name().toLowerCase(Locale.ROOT));
          distribution(json, durations);
        }
      }
      json.endObject();
    }
    json.endObject();
  }

  /** Bucket {@code i} has the durations up to {@code 2^(i / bucketsPerDoubling)} seconds. */
  private static void distribution(JsonWriter json, DurationDistribution durations)
      throws IOException {
    json.beginObject().name("nanos").value(durations.sumNanos());
    number(json, "short", durations.zeroCount());
    json.name("buckets").beginArray();
    for (var bucket : durations.nativeBuckets()) {
      pair(json, bucket.index(), bucket.count());
    }
    json.endArray().endObject();
  }

  private static void pair(JsonWriter json, long first, long second) throws IOException {
    json.beginArray().value(first).value(second).endArray();
  }

  private static void number(JsonWriter json, String name, long value) throws IOException {
    if (value != 0) {
      json.name(name).value(value);
    }
  }

  private static void reasons(JsonWriter json, String name, Map<? extends Enum<?>, Long> counts)
      throws IOException {
    json.name(name).beginObject();
    for (var reason : counts.entrySet()) {
      number(json, reason.getKey().name().toLowerCase(Locale.ROOT), reason.getValue());
    }
    json.endObject();
  }
}

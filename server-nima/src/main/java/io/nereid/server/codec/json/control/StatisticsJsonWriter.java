package io.nereid.server.codec.json.control;

import com.google.gson.stream.JsonWriter;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.spi.MemoryUsage;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Writes what models have done as HTTP shows it, members in the protocol's order. */
public final class StatisticsJsonWriter {
  private final JsonWriter json;

  private StatisticsJsonWriter(JsonWriter json) {
    this.json = json;
  }

  /** The body: {@code {"model_stats":[...]}}. */
  public static byte[] write(List<StatisticsSnapshot> models) {
    return JsonBody.of(json -> {
      var writer = new StatisticsJsonWriter(json);
      json.beginObject().name("model_stats").beginArray();
      for (StatisticsSnapshot model : models) {
        writer.model(model);
      }
      json.endArray().endObject();
    });
  }

  private void model(StatisticsSnapshot model) throws IOException {
    json.beginObject();
    json.name("name").value(model.model().name());
    json.name("version").value(Long.toString(model.model().version()));
    json.name("last_inference").value(model.lastInferenceMillis());
    json.name("inference_count").value(model.inferenceCount());
    json.name("execution_count").value(model.executionCount());
    json.name("inference_stats");
    requests(model.requests());
    json.name("response_stats");
    responses(model.responses());
    json.name("batch_stats").beginArray();
    for (var batch : model.batches().entrySet()) {
      batch(batch);
    }
    json.endArray().name("memory_usage").beginArray();
    for (MemoryUsage usage : model.memoryUsage()) {
      json.beginObject().name("type").value(usage.type());
      json.name("id").value(usage.id()).name("byte_size").value(usage.byteSize()).endObject();
    }
    json.endArray().endObject();
  }

  private void requests(StatisticsSnapshot.Requests requests) throws IOException {
    json.beginObject();
    duration("success", requests.success());
    duration("fail", requests.fail());
    duration("queue", requests.queue());
    duration("compute_input", requests.computeInput());
    duration("compute_infer", requests.computeInfer());
    duration("compute_output", requests.computeOutput());
    duration("cache_hit", requests.cacheHit());
    duration("cache_miss", requests.cacheMiss());
    json.endObject();
  }

  private void responses(List<StatisticsSnapshot.Responses> responses) throws IOException {
    json.beginObject();
    for (int i = 0; i < responses.size(); i++) {
      StatisticsSnapshot.Responses response = responses.get(i);
      json.name(Integer.toString(i)).beginObject();
      duration("compute_infer", response.computeInfer());
      duration("compute_output", response.computeOutput());
      duration("success", response.success());
      duration("fail", response.fail());
      duration("empty_response", response.emptyResponse());
      duration("cancel", response.cancel());
      json.endObject();
    }
    json.endObject();
  }

  private void batch(Map.Entry<Long, StatisticsSnapshot.Batches> batch) throws IOException {
    json.beginObject().name("batch_size").value(batch.getKey());
    duration("compute_input", batch.getValue().computeInput());
    duration("compute_infer", batch.getValue().computeInfer());
    duration("compute_output", batch.getValue().computeOutput());
    json.endObject();
  }

  private void duration(String name, StatisticsSnapshot.DurationSum duration) throws IOException {
    json.name(name).beginObject();
    json.name("count").value(duration.count()).name("ns").value(duration.nanos()).endObject();
  }
}

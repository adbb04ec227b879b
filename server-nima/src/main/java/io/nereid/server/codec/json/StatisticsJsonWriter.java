package io.nereid.server.codec.json;

import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.json.document.JsonText;
import io.nereid.spi.MemoryUsage;
import java.util.List;
import java.util.Map;

/** Writes what models have done as HTTP shows it, members in the protocol's order. */
public final class StatisticsJsonWriter {
  private static final int USUAL_SIZE = 1024;

  private final ByteSink json;

  private StatisticsJsonWriter(ByteSink json) {
    this.json = json;
  }

  /** The body: {@code {"model_stats":[...]}}. */
  public static byte[] write(List<StatisticsSnapshot> models) {
    var json = new ByteSink(USUAL_SIZE * (models.size() + 1));
    var writer = new StatisticsJsonWriter(json);
    json.putAscii("{\"model_stats\":[");
    String separator = "";
    for (StatisticsSnapshot model : models) {
      json.putAscii(separator);
      separator = ",";
      writer.model(model);
    }
    json.putAscii("]}");
    return json.toByteArray();
  }

  private void model(StatisticsSnapshot model) {
    json.putAscii("{\"name\":");
    JsonText.putString(json, model.model().name());
    json.putAscii(",\"version\":\"");
    json.putLong(model.model().version());
    json.putAscii("\",\"last_inference\":");
    json.putLong(model.lastInferenceMillis());
    json.putAscii(",\"inference_count\":");
    json.putLong(model.inferenceCount());
    json.putAscii(",\"execution_count\":");
    json.putLong(model.executionCount());
    json.putAscii(",\"inference_stats\":");
    requests(model.requests());
    json.putAscii(",\"response_stats\":{");
    responses(model.responses());
    json.putAscii("},\"batch_stats\":[");
    String separator = "";
    for (var batch : model.batches().entrySet()) {
      json.putAscii(separator);
      separator = ",";
      batch(batch);
    }
    json.putAscii("],\"memory_usage\":[");
    separator = "";
    for (MemoryUsage usage : model.memoryUsage()) {
      json.putAscii(separator);
      separator = ",";
      memoryUsage(usage);
    }
    json.putAscii("]}");
  }

  private void memoryUsage(MemoryUsage usage) {
    json.putAscii("{\"type\":");
    JsonText.putString(json, usage.type());
    json.putAscii(",\"id\":");
    json.putLong(usage.id());
    json.putAscii(",\"byte_size\":");
    json.putLong(usage.byteSize());
    json.put('}');
  }

  private void requests(StatisticsSnapshot.Requests requests) {
    duration("{\"success\":", requests.success());
    duration(",\"fail\":", requests.fail());
    duration(",\"queue\":", requests.queue());
    duration(",\"compute_input\":", requests.computeInput());
    duration(",\"compute_infer\":", requests.computeInfer());
    duration(",\"compute_output\":", requests.computeOutput());
    duration(",\"cache_hit\":", requests.cacheHit());
    duration(",\"cache_miss\":", requests.cacheMiss());
    json.put('}');
  }

  private void responses(List<StatisticsSnapshot.Responses> responses) {
    for (int i = 0; i < responses.size(); i++) {
      json.putAscii(i == 0 ? "\"" : ",\"");
      json.putLong(i);
      StatisticsSnapshot.Responses response = responses.get(i);
      duration("\":{\"compute_infer\":", response.computeInfer());
      duration(",\"compute_output\":", response.computeOutput());
      duration(",\"success\":", response.success());
      duration(",\"fail\":", response.fail());
      duration(",\"empty_response\":", response.emptyResponse());
      duration(",\"cancel\":", response.cancel());
      json.put('}');
    }
  }

  private void batch(Map.Entry<Long, StatisticsSnapshot.Batches> batch) {
    json.putAscii("{\"batch_size\":");
    json.putLong(batch.getKey());
    duration(",\"compute_input\":", batch.getValue().computeInput());
    duration(",\"compute_infer\":", batch.getValue().computeInfer());
    duration(",\"compute_output\":", batch.getValue().computeOutput());
    json.put('}');
  }

  private void duration(String member, StatisticsSnapshot.DurationSum duration) {
    json.putAscii(member);
    json.putAscii("{\"count\":");
    json.putLong(duration.count());
    json.putAscii(",\"ns\":");
    json.putLong(duration.nanos());
    json.put('}');
  }
}

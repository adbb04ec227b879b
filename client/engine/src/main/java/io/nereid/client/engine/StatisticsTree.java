package io.nereid.client.engine;

import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot.DurationSum;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Statistics as the protocol's {@code model_stats}. */
final class StatisticsTree {
  private StatisticsTree() {}

  static List<Object> of(List<StatisticsSnapshot> models) {
    List<Object> trees = new ArrayList<>();
    models.forEach(model -> trees.add(of(model)));
    return trees;
  }

  private static Map<String, Object> of(StatisticsSnapshot model) {
    var requests = model.requests();
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("name", model.model().name());
    tree.put("version", Long.toString(model.model().version()));
    tree.put("last_inference", model.lastInferenceMillis());
    tree.put("inference_count", model.inferenceCount());
    tree.put("execution_count", model.executionCount());
    tree.put(
        "inference_stats",
        Map.of(
            "success",
            duration(requests.success()),
            "fail",
            duration(requests.fail()),
            "queue",
            duration(requests.queue()),
            "compute_input",
            duration(requests.computeInput()),
            "compute_infer",
            duration(requests.computeInfer()),
            "compute_output",
            duration(requests.computeOutput()),
            "cache_hit",
            duration(requests.cacheHit()),
            "cache_miss",
            duration(requests.cacheMiss())));
    List<Object> batches = new ArrayList<>();
    model.batches().forEach((size, batch) -> batches.add(batch(size, batch)));
    tree.put("batch_stats", batches);
    Map<String, Object> responses = new LinkedHashMap<>();
    for (int i = 0; i < model.responses().size(); i++) {
      responses.put(Integer.toString(i), response(model.responses().get(i)));
    }
    tree.put("response_stats", responses);
    List<Object> memory = new ArrayList<>();
    model
        .memoryUsage()
        .forEach(usage ->
            memory.add(
                Map.of("type", usage.type(), "id", usage.id(), "byte_size", usage.byteSize())));
    tree.put("memory_usage", memory);
    return tree;
  }

  private static Map<String, Object> batch(long size, StatisticsSnapshot.Batches batch) {
    return Map.of(
        "batch_size",
        size,
        "compute_input",
        duration(batch.computeInput()),
        "compute_infer",
        duration(batch.computeInfer()),
        "compute_output",
        duration(batch.computeOutput()));
  }

  private static Map<String, Object> response(StatisticsSnapshot.Responses response) {
    return Map.of(
        "compute_infer",
        duration(response.computeInfer()),
        "compute_output",
        duration(response.computeOutput()),
        "success",
        duration(response.success()),
        "fail",
        duration(response.fail()),
        "empty_response",
        duration(response.emptyResponse()),
        "cancel",
        duration(response.cancel()));
  }

  private static Map<String, Object> duration(DurationSum sum) {
    return Map.of("count", sum.count(), "ns", sum.nanos());
  }
}

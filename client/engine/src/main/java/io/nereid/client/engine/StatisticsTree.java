package io.nereid.client.engine;

import static java.util.Map.entry;

import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot.DurationSum;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Statistics as the protocol's {@code model_stats}. */
final class StatisticsTree {
  private StatisticsTree() {}

  static List<?> of(List<StatisticsSnapshot> models) {
    return models.stream().map(StatisticsTree::tree).toList();
  }

  private static Map<String, Object> tree(StatisticsSnapshot model) {
    Map<String, Object> responses = new LinkedHashMap<>();
    for (int i = 0; i < model.responses().size(); i++) {
      responses.put(Integer.toString(i), response(model.responses().get(i)));
    }
    return Map.ofEntries(
        entry("name", model.model().name()),
        entry("version", Long.toString(model.model().version())),
        entry("last_inference", model.lastInferenceMillis()),
        entry("inference_count", model.inferenceCount()),
        entry("execution_count", model.executionCount()),
        entry("inference_stats", requests(model.requests())),
        entry(
            "batch_stats",
            model.batches().entrySet().stream()
                .map(batch -> batch(batch.getKey(), batch.getValue()))
                .toList()),
        entry("response_stats", responses),
        entry(
            "memory_usage",
            model.memoryUsage().stream()
                .map(usage ->
                    Map.of("type", usage.type(), "id", usage.id(), "byte_size", usage.byteSize()))
                .toList()));
  }

  private static Map<String, Object> requests(StatisticsSnapshot.Requests requests) {
    return Map.ofEntries(
        entry("success", duration(requests.success())),
        entry("fail", duration(requests.fail())),
        entry("queue", duration(requests.queue())),
        entry("compute_input", duration(requests.computeInput())),
        entry("compute_infer", duration(requests.computeInfer())),
        entry("compute_output", duration(requests.computeOutput())),
        entry("cache_hit", duration(requests.cacheHit())),
        entry("cache_miss", duration(requests.cacheMiss())));
  }

  private static Map<String, Object> batch(long size, StatisticsSnapshot.Batches batch) {
    return Map.ofEntries(
        entry("batch_size", size),
        entry("compute_input", duration(batch.computeInput())),
        entry("compute_infer", duration(batch.computeInfer())),
        entry("compute_output", duration(batch.computeOutput())));
  }

  private static Map<String, Object> response(StatisticsSnapshot.Responses response) {
    return Map.ofEntries(
        entry("compute_infer", duration(response.computeInfer())),
        entry("compute_output", duration(response.computeOutput())),
        entry("success", duration(response.success())),
        entry("fail", duration(response.fail())),
        entry("empty_response", duration(response.emptyResponse())),
        entry("cancel", duration(response.cancel())));
  }

  private static Map<String, Object> duration(DurationSum sum) {
    return Map.of("count", sum.count(), "ns", sum.nanos());
  }
}

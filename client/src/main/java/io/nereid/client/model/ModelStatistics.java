package io.nereid.client.model;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a version of a model has done since it was loaded.
 *
 * @param lastInference the epoch if there was none
 * @param inferenceCount rows of batches; those that the response cache answered do not count
 * @param executionCount batches
 * @param responses of decoupled models, by the index of the response
 */
public record ModelStatistics(
    String name,
    String version,
    Instant lastInference,
    long inferenceCount,
    long executionCount,
    Requests requests,
    List<Batches> batches,
    List<Memory> memory,
    Map<String, Responses> responses) {
  public ModelStatistics {
    batches = List.copyOf(batches);
    memory = List.copyOf(memory);
    responses = Map.copyOf(responses);
  }

  /** Requests, and where their time went: each in full, also if it shared a batch. */
  public record Requests(
      Timing success,
      Timing fail,
      Timing queue,
      Timing computeInput,
      Timing computeInfer,
      Timing computeOutput,
      Timing cacheHit,
      Timing cacheMiss) {}

  /** Batches of one size. */
  public record Batches(
      long batchSize, Timing computeInput, Timing computeInfer, Timing computeOutput) {}

  /**
   * Memory in use.
   *
   * @param type such as {@code CPU} or {@code GPU}
   * @param id of the device
   */
  public record Memory(String type, long id, long byteSize) {}

  /** Responses of one index. */
  public record Responses(
      Timing computeInfer,
      Timing computeOutput,
      Timing success,
      Timing fail,
      Timing emptyResponse,
      Timing cancel) {}

  /** For the client: reads what a transport got. */
  public static List<ModelStatistics> listOf(@Nullable Object tree) {
    return Tree.of(tree).list("model_stats", ModelStatistics::of);
  }

  private static ModelStatistics of(@Nullable Object tree) {
    Tree model = Tree.of(tree);
    Tree requests = model.object("inference_stats");
    Map<String, Responses> responses = new LinkedHashMap<>();
    model
        .object("response_stats")
        .members()
        .forEach((index, each) -> responses.put(String.valueOf(index), responses(each)));
    return new ModelStatistics(
        model.text("name"),
        model.text("version"),
        Instant.ofEpochMilli(model.number("last_inference")),
        model.number("inference_count"),
        model.number("execution_count"),
        new Requests(
            Timing.of(requests, "success"),
            Timing.of(requests, "fail"),
            Timing.of(requests, "queue"),
            Timing.of(requests, "compute_input"),
            Timing.of(requests, "compute_infer"),
            Timing.of(requests, "compute_output"),
            Timing.of(requests, "cache_hit"),
            Timing.of(requests, "cache_miss")),
        model.list("batch_stats", ModelStatistics::batches),
        model.list("memory_usage", ModelStatistics::memory),
        responses);
  }

  private static Batches batches(@Nullable Object tree) {
    Tree batch = Tree.of(tree);
    return new Batches(
        batch.number("batch_size"),
        Timing.of(batch, "compute_input"),
        Timing.of(batch, "compute_infer"),
        Timing.of(batch, "compute_output"));
  }

  private static Memory memory(@Nullable Object tree) {
    Tree memory = Tree.of(tree);
    return new Memory(memory.text("type"), memory.number("id"), memory.number("byte_size"));
  }

  private static Responses responses(@Nullable Object tree) {
    Tree response = Tree.of(tree);
    return new Responses(
        Timing.of(response, "compute_infer"),
        Timing.of(response, "compute_output"),
        Timing.of(response, "success"),
        Timing.of(response, "fail"),
        Timing.of(response, "empty_response"),
        Timing.of(response, "cancel"));
  }
}

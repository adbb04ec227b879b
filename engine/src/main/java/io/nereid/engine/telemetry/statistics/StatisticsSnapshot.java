package io.nereid.engine.telemetry.statistics;

import io.nereid.engine.telemetry.statistics.latency.DurationDistribution;
import io.nereid.engine.telemetry.statistics.latency.LatencyHistograms;
import io.nereid.engine.telemetry.statistics.latency.LatencyPhase;
import io.nereid.request.ModelKey;
import io.nereid.spi.MemoryUsage;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * The statistics of a model version at one moment.
 *
 * @param namespace empty unless models are kept apart by namespaces
 * @param metricTags the labels that its configuration adds to its metrics
 * @param gpu on which all instances have run; empty if some ran elsewhere
 * @param caches whether its configuration enables the response cache
 * @param lastInferenceMillis when the last execution ended, since the epoch; 0 if there was none
 * @param inferenceCount rows of the requests that were executed and succeeded
 * @param executionCount executions of which at least one request succeeded
 * @param responses of decoupled models, by response index
 * @param batches by batch size, padding included; ascending
 * @param failures has every reason
 * @param refusals of requests that were never accepted; has every reason
 * @param latencyMicros sums over the requests that succeeded, each duration truncated to whole
 *     microseconds before it is added; has every phase
 * @param durations the distributions of the same durations; has the phases that a request has had
 * @param recent the latencies of the last minute, if they are recorded
 * @param firstResponses the times to the first response, if they are recorded
 * @param batchCosts of the batches that were dispatched, if their cost has a limit
 * @param pending requests that have arrived and that no instance has begun
 * @param detached requests that an instance has begun and that it answers later than its execution
 * @param memoryUsage of the model, on each device; empty in the counts of metrics
 * @param load of the version
 */
public record StatisticsSnapshot(
    String namespace,
    ModelKey model,
    Map<String, String> metricTags,
    OptionalInt gpu,
    boolean caches,
    long lastInferenceMillis,
    long inferenceCount,
    long executionCount,
    Requests requests,
    List<Responses> responses,
    NavigableMap<Long, Batches> batches,
    Map<FailureReason, Long> failures,
    Map<RefusalReason, Long> refusals,
    Map<LatencyPhase, Long> latencyMicros,
    Map<LatencyPhase, DurationDistribution> durations,
    Optional<LatencyHistograms> recent,
    Optional<Histogram> firstResponses,
    Optional<BatchCosts> batchCosts,
    long pending,
    long detached,
    List<MemoryUsage> memoryUsage,
    Load load) {
  /**
   * A load.
   *
   * @param nanos how long it took
   * @param endMillis when it ended, since the epoch; 0 if it has not
   */
  public record Load(long nanos, long endMillis) {
    /** Of a version that has not been loaded. */
    public static final Load NONE = new Load(0, 0);
  }

  public StatisticsSnapshot {
    metricTags = Map.copyOf(metricTags);
    responses = List.copyOf(responses);
    memoryUsage = List.copyOf(memoryUsage);
    batches = Collections.unmodifiableNavigableMap(new TreeMap<>(batches));
    failures = Collections.unmodifiableMap(new EnumMap<>(failures));
    refusals = Collections.unmodifiableMap(new EnumMap<>(refusals));
    latencyMicros = Collections.unmodifiableMap(new EnumMap<>(latencyMicros));
    durations = Map.copyOf(durations);
  }

  /** How often something happened, and the sum of its durations. */
  public record DurationSum(long count, long nanos) {
    public static final DurationSum NONE = new DurationSum(0, 0);
  }

  /**
   * The durations of requests. {@code success} and {@code queue} count the requests that succeeded,
   * and the compute phases those of them that were executed. The compute time of an execution is
   * charged to each of its requests in full.
   *
   * @param success from arrival to response
   * @param fail from arrival to failure
   * @param queue from arrival to the start of the execution, or of the look-up of a cached response
   * @param cacheHit look-ups of cached responses that were found
   * @param cacheMiss look-ups and insertions of responses that were not found
   */
  public record Requests(
      DurationSum success,
      DurationSum fail,
      DurationSum queue,
      DurationSum computeInput,
      DurationSum computeInfer,
      DurationSum computeOutput,
      DurationSum cacheHit,
      DurationSum cacheMiss) {}

  /**
   * The durations of the responses with one index. A response begins where the one before it ended;
   * {@code computeInfer} and {@code computeOutput} are its parts, the others the whole of it, by
   * outcome.
   */
  public record Responses(
      DurationSum computeInfer,
      DurationSum computeOutput,
      DurationSum success,
      DurationSum fail,
      DurationSum emptyResponse,
      DurationSum cancel) {}

  /** The durations of the executions of one batch size; each count is that of the executions. */
  public record Batches(
      DurationSum computeInput, DurationSum computeInfer, DurationSum computeOutput) {}

  /**
   * What batches cost, and how much of it is padding, in the unit of the weights of their rows.
   *
   * @param cost of each batch
   * @param padding of each batch
   */
  public record BatchCosts(Sizes cost, Sizes padding) {}

  /**
   * The distribution of a size.
   *
   * @param cumulative the observations up to each of {@link SizeHistogram#BOUNDS}; last, all
   * @param sum of all observations
   */
  public record Sizes(List<Long> cumulative, long sum) {
    public Sizes {
      cumulative = List.copyOf(cumulative);
    }
  }

  /**
   * The distribution of a duration.
   *
   * @param buckets ascending
   * @param count of all observations, including those above the last bucket
   * @param sumNanos of all observations
   */
  public record Histogram(List<Bucket> buckets, long count, long sumNanos) {
    /**
     * A cumulative bucket.
     *
     * @param millis the upper bound, inclusive
     * @param count of the observations up to the bound
     */
    public record Bucket(double millis, long count) {}

    public Histogram {
      buckets = List.copyOf(buckets);
    }
  }
}

package io.nereid.engine.telemetry.statistics;

import io.nereid.engine.telemetry.statistics.StatisticsSnapshot.DurationSum;
import io.nereid.engine.telemetry.statistics.latency.DurationDistribution;
import io.nereid.engine.telemetry.statistics.latency.DurationHistograms;
import io.nereid.engine.telemetry.statistics.latency.LatencyHistograms;
import io.nereid.engine.telemetry.statistics.latency.LatencyPhase;
import io.nereid.engine.telemetry.statistics.latency.LatencyRecording;
import io.nereid.engine.telemetry.statistics.latency.RecentLatencies;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The statistics of one instance, or of the response cache; written by one thread at a time, read
 * by any.
 *
 * <p>Durations are those of one observation, in nanoseconds. Triton's metrics truncate each
 * observation to microseconds before they add it, so both sums are kept.
 */
public sealed class InstanceStatistics permits SharedStatistics {
  enum Kind {
    LAST_INFERENCE_MILLIS,
    EXECUTING,
    SUCCESSES,
    INFERENCES,
    CACHE_HITS,
    CACHE_MISSES,
    FAILURE_NANOS
  }

  /** The phases of a request that is executed. */
  private static final Set<LatencyPhase> PHASES =
      EnumSet.range(LatencyPhase.REQUEST, LatencyPhase.COMPUTE_OUTPUT);

  /** The phases of a request that the response cache answers, or could not answer. */
  static final Set<LatencyPhase> CACHE_PHASES =
      EnumSet.of(
          LatencyPhase.REQUEST,
          LatencyPhase.QUEUE,
          LatencyPhase.CACHE_HIT,
          LatencyPhase.CACHE_MISS);

  private static final int NANOS_PER_MICRO = 1_000;

  private final Counters<Kind> counters = new Counters<>(Kind.class);

  /** Of the requests that succeeded. */
  private final Counters<LatencyPhase> nanos = new Counters<>(LatencyPhase.class);

  private final Counters<LatencyPhase> micros = new Counters<>(LatencyPhase.class);
  private final Counters<FailureReason> failures = new Counters<>(FailureReason.class);
  private final Counters<RefusalReason> refusals = new Counters<>(RefusalReason.class);
  private final DurationHistograms durations = new DurationHistograms();
  private final BatchCounters batches = new BatchCounters();
  private final ResponseCounters responses = new ResponseCounters();
  private final BatchCostCounters batchCosts = new BatchCostCounters();
  private final @Nullable RecentLatencies recent;
  private final @Nullable FirstResponses firstResponses;

  InstanceStatistics(LatencyRecording recording) {
    this(recording, PHASES);
  }

  /**
   * @param phases those whose recent durations may be recorded
   */
  InstanceStatistics(LatencyRecording recording, Set<LatencyPhase> phases) {
    recent = recording.recent() ? new RecentLatencies(recording.clock(), phases) : null;
    List<Double> bounds = recording.firstResponseMillis();
    firstResponses = bounds.isEmpty() ? null : new FirstResponses(bounds);
  }

  /** Adds requests that the instance begins to execute. */
  public void began(int requests) {
    counters.add(Kind.EXECUTING, requests);
  }

  /** Subtracts requests that the instance has ended. */
  public void ended(int requests) {
    counters.add(Kind.EXECUTING, -requests);
  }

  /**
   * Counts an execution of which at least one request succeeded.
   *
   * @param rows of the batch, padding included
   * @param endMillis when the execution ended, since the epoch
   */
  public void executed(
      long rows, long inputNanos, long inferNanos, long outputNanos, long endMillis) {
    counters.set(Kind.LAST_INFERENCE_MILLIS, endMillis);
    batches.add(rows, inputNanos, inferNanos, outputNanos);
  }

  /**
   * Counts a request that succeeded.
   *
   * @param rows of the request
   * @param requestNanos from its arrival to its response
   * @param queueNanos from its arrival to the start of the execution
   * @param inputNanos of the whole execution, as are the next two
   */
  public void succeeded(
      long rows,
      long requestNanos,
      long queueNanos,
      long inputNanos,
      long inferNanos,
      long outputNanos) {
    add(LatencyPhase.REQUEST, requestNanos);
    add(LatencyPhase.QUEUE, queueNanos);
    add(LatencyPhase.COMPUTE_INPUT, inputNanos);
    add(LatencyPhase.COMPUTE_INFER, inferNanos);
    add(LatencyPhase.COMPUTE_OUTPUT, outputNanos);
    counters.add(Kind.INFERENCES, rows);
    counters.add(Kind.SUCCESSES, 1);
  }

  /** Counts a request that the response cache answered. */
  void answeredFromCache(long requestNanos, long queueNanos, long lookUpNanos) {
    add(LatencyPhase.REQUEST, requestNanos);
    add(LatencyPhase.QUEUE, queueNanos);
    add(LatencyPhase.CACHE_HIT, lookUpNanos);
    counters.add(Kind.CACHE_HITS, 1);
  }

  /** Counts a request that the response cache could not answer; its success counts elsewhere. */
  void missedInCache(long lookUpAndInsertionNanos) {
    add(LatencyPhase.CACHE_MISS, lookUpAndInsertionNanos);
    counters.add(Kind.CACHE_MISSES, 1);
  }

  private void add(LatencyPhase phase, long duration) {
    nanos.add(phase, duration);
    micros.add(phase, duration / NANOS_PER_MICRO);
    durations.add(phase, duration);
    if (recent != null) {
      recent.add(phase, duration);
    }
  }

  /** Whether {@link #firstResponded} records anything. */
  public boolean wantsFirstResponses() {
    return firstResponses != null;
  }

  /** Counts a request's first response, or its failure, {@code nanos} after its arrival. */
  public void firstResponded(long nanos) {
    if (firstResponses != null) {
      firstResponses.add(nanos);
    }
  }

  /**
   * Counts a response of a decoupled model.
   *
   * @param index among the responses of its request; the ones before it have been counted
   * @param inferNanos from the response before it until its outputs were complete
   * @param outputNanos the duration of sending it
   */
  public void responded(int index, ResponseOutcome outcome, long inferNanos, long outputNanos) {
    responses.add(index, outcome, inferNanos, outputNanos);
  }

  /** Counts a request that failed, {@code requestNanos} after its arrival. */
  public void failed(FailureReason reason, long requestNanos) {
    counters.add(Kind.FAILURE_NANOS, requestNanos);
    failures.add(reason, 1);
  }

  /** Counts a batch that was dispatched, with what it costs and how much of that is padding. */
  void dispatched(long cost, long padding) {
    batchCosts.add(cost, padding);
  }

  /** Counts a request that was refused. */
  public void refused(RefusalReason reason) {
    refusals.add(reason, 1);
  }

  /**
   * Adds the statistics of {@code other} to these; called by the thread that writes these. What is
   * written last is read first, so the sum has the requests of every execution that it counts, the
   * responses of every request, and the durations of every count.
   */
  public void addAll(InstanceStatistics other) {
    batches.addAll(other.batches);
    failures.addAll(other.failures);
    refusals.addAll(other.refusals);
    long last = Math.max(lastInferenceMillis(), other.lastInferenceMillis());
    counters.addAll(other.counters);
    counters.set(Kind.LAST_INFERENCE_MILLIS, last);
    durations.addAll(other.durations);
    nanos.addAll(other.nanos);
    micros.addAll(other.micros);
    responses.addAll(other.responses);
    batchCosts.addAll(other.batchCosts);
    if (firstResponses != null && other.firstResponses != null) {
      firstResponses.addAll(other.firstResponses);
    }
  }

  void addRecentTo(LatencyHistograms sums) {
    if (recent != null) {
      recent.addTo(sums);
    }
  }

  long lastInferenceMillis() {
    return counters.get(Kind.LAST_INFERENCE_MILLIS);
  }

  long executing() {
    return counters.get(Kind.EXECUTING);
  }

  long inferences() {
    return counters.get(Kind.INFERENCES);
  }

  Map<FailureReason, Long> failures() {
    return failures.all();
  }

  Map<RefusalReason, Long> refusals() {
    return refusals.all();
  }

  long failureNanos() {
    return counters.get(Kind.FAILURE_NANOS);
  }

  /**
   * The durations of the requests.
   *
   * @param fail those of the failed ones
   */
  StatisticsSnapshot.Requests requests(DurationSum fail) {
    long executed = counters.get(Kind.SUCCESSES);
    long cached = counters.get(Kind.CACHE_HITS);
    return new StatisticsSnapshot.Requests(
        duration(executed + cached, LatencyPhase.REQUEST),
        fail,
        duration(executed + cached, LatencyPhase.QUEUE),
        duration(executed, LatencyPhase.COMPUTE_INPUT),
        duration(executed, LatencyPhase.COMPUTE_INFER),
        duration(executed, LatencyPhase.COMPUTE_OUTPUT),
        duration(cached, LatencyPhase.CACHE_HIT),
        duration(counters.get(Kind.CACHE_MISSES), LatencyPhase.CACHE_MISS));
  }

  private DurationSum duration(long count, LatencyPhase phase) {
    return new DurationSum(count, nanos.get(phase));
  }

  public Map<LatencyPhase, Long> micros() {
    return micros.all();
  }

  /** The distributions of the phases that a request has had. */
  public Map<LatencyPhase, DurationDistribution> durations() {
    Map<LatencyPhase, DurationDistribution> distributions = new EnumMap<>(LatencyPhase.class);
    for (LatencyPhase phase : LatencyPhase.values()) {
      DurationDistribution distribution = durations.of(phase, nanos.get(phase));
      if (distribution != null) {
        distributions.put(phase, distribution);
      }
    }
    return distributions;
  }

  /** The times to first responses, if they are recorded. */
  public Optional<StatisticsSnapshot.Histogram> firstResponses() {
    return Optional.ofNullable(firstResponses).map(FirstResponses::histogram);
  }

  /** What the batches cost that were dispatched, if that has a limit. */
  Optional<StatisticsSnapshot.BatchCosts> batchCosts() {
    return batchCosts.costs();
  }

  List<StatisticsSnapshot.Responses> responses() {
    return responses.byIndex();
  }

  NavigableMap<Long, StatisticsSnapshot.Batches> batches() {
    return batches.bySize();
  }
}

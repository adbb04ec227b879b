package io.nereid.server.telemetry.statistics;

import java.util.List;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/**
 * What one instance has done. Written by the thread of that instance alone; read from any.
 *
 * <p>All durations are those of one observation, in nanoseconds. The metrics count in microseconds,
 * each observation truncated, so these sums are kept beside the others.
 */
public final class InstanceStatistics {
  enum Kind {
    LAST_INFERENCE_MILLIS,
    EXECUTING,
    SUCCESSES,
    INFERENCES,
    REQUEST_NANOS,
    QUEUE_NANOS,
    INPUT_NANOS,
    INFER_NANOS,
    OUTPUT_NANOS,
    REQUEST_MICROS,
    QUEUE_MICROS,
    INPUT_MICROS,
    INFER_MICROS,
    OUTPUT_MICROS,
    FAILURE_NANOS
  }

  private static final int NANOS_PER_MICRO = 1_000;

  private final Counters<Kind> counters = new Counters<>(Kind.class);
  private final Counters<FailureReason> failures = new Counters<>(FailureReason.class);
  private final BatchCounters batches = new BatchCounters();
  private final ResponseCounters responses = new ResponseCounters();
  private final @Nullable RecentLatencies recent;
  private final @Nullable FirstResponses firstResponses;

  InstanceStatistics(LatencyRecording recording) {
    recent = recording.recent() ? new RecentLatencies(recording.clock()) : null;
    List<Double> bounds = recording.firstResponseMillis();
    firstResponses = bounds.isEmpty() ? null : new FirstResponses(bounds);
  }

  /** Says how many requests the instance holds from now on; 0 once it has ended them. */
  public void executing(int requests) {
    counters.set(Kind.EXECUTING, requests);
  }

  /**
   * Counts an execution, once, if any of its requests succeeded.
   *
   * @param rows of the batch, padding included
   * @param endMillis when it ended, since the epoch
   */
  public void executed(
      long rows, long inputNanos, long inferNanos, long outputNanos, long endMillis) {
    counters.set(Kind.LAST_INFERENCE_MILLIS, endMillis);
    batches.add(rows, inputNanos, inferNanos, outputNanos);
  }

  /**
   * Counts a request that was answered.
   *
   * @param rows of the request
   * @param requestNanos from its arrival to its answer
   * @param queueNanos from its arrival to the start of the execution
   * @param inputNanos of the whole execution, as the next two
   */
  public void succeeded(
      long rows,
      long requestNanos,
      long queueNanos,
      long inputNanos,
      long inferNanos,
      long outputNanos) {
    counters.add(Kind.REQUEST_NANOS, requestNanos);
    counters.add(Kind.QUEUE_NANOS, queueNanos);
    counters.add(Kind.INPUT_NANOS, inputNanos);
    counters.add(Kind.INFER_NANOS, inferNanos);
    counters.add(Kind.OUTPUT_NANOS, outputNanos);
    counters.add(Kind.REQUEST_MICROS, requestNanos / NANOS_PER_MICRO);
    counters.add(Kind.QUEUE_MICROS, queueNanos / NANOS_PER_MICRO);
    counters.add(Kind.INPUT_MICROS, inputNanos / NANOS_PER_MICRO);
    counters.add(Kind.INFER_MICROS, inferNanos / NANOS_PER_MICRO);
    counters.add(Kind.OUTPUT_MICROS, outputNanos / NANOS_PER_MICRO);
    counters.add(Kind.INFERENCES, rows);
    counters.add(Kind.SUCCESSES, 1);
    if (recent != null) {
      recent.add(requestNanos, queueNanos, inputNanos, inferNanos, outputNanos);
    }
  }

  /** Whether {@link #firstResponded} wants to be told. */
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
   * @param index among the responses of its request; those before it have been counted
   * @param inferNanos from the response before it until its outputs were complete
   * @param outputNanos what sending it took
   */
  public void responded(int index, ResponseOutcome outcome, long inferNanos, long outputNanos) {
    responses.add(index, outcome, inferNanos, outputNanos);
  }

  /** Counts a request that failed, {@code requestNanos} after its arrival. */
  public void failed(FailureReason reason, long requestNanos) {
    counters.add(Kind.FAILURE_NANOS, requestNanos);
    failures.add(reason, 1);
  }

  /**
   * Adds the other's numbers to these; by the thread that writes these. What is written last is
   * read first: so an execution brings its requests along, a request its responses, and a count its
   * durations.
   */
  void addAll(InstanceStatistics other) {
    batches.addAll(other.batches);
    failures.addAll(other.failures);
    long last = Math.max(lastInferenceMillis(), other.lastInferenceMillis());
    counters.addAll(other.counters);
    counters.set(Kind.LAST_INFERENCE_MILLIS, last);
    responses.addAll(other.responses);
  }

  void addRecentTo(PhaseHistograms sums) {
    if (recent != null) {
      recent.addTo(sums);
    }
  }

  void addFirstResponsesTo(FirstResponses sum) {
    if (firstResponses != null) {
      sum.addAll(firstResponses);
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

  long failures(FailureReason reason) {
    return failures.get(reason);
  }

  long failureNanos() {
    return counters.get(Kind.FAILURE_NANOS);
  }

  /** What the requests that succeeded took, by phase. */
  RequestStatistics requests(StatisticDuration fail) {
    return new RequestStatistics(
        counters.duration(Kind.SUCCESSES, Kind.REQUEST_NANOS),
        fail,
        counters.duration(Kind.SUCCESSES, Kind.QUEUE_NANOS),
        counters.duration(Kind.SUCCESSES, Kind.INPUT_NANOS),
        counters.duration(Kind.SUCCESSES, Kind.INFER_NANOS),
        counters.duration(Kind.SUCCESSES, Kind.OUTPUT_NANOS));
  }

  LatencyMicros latency() {
    return new LatencyMicros(
        counters.get(Kind.REQUEST_MICROS),
        counters.get(Kind.QUEUE_MICROS),
        counters.get(Kind.INPUT_MICROS),
        counters.get(Kind.INFER_MICROS),
        counters.get(Kind.OUTPUT_MICROS));
  }

  List<ResponseStatistics> responses() {
    return responses.byIndex();
  }

  NavigableMap<Long, BatchStatistics> batches() {
    return batches.bySize();
  }
}

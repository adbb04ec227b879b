package io.nereid.engine.telemetry.statistics.latency;

import java.util.List;
import java.util.function.LongSupplier;

/**
 * What is recorded of a model's latencies besides counts and sums.
 *
 * @param recent whether the latencies of the last minute are recorded, for quantiles
 * @param firstResponseMillis upper bounds of the buckets for first responses, ascending; empty if
 *     they are not recorded
 * @param clock nanoseconds, never negative
 */
public record LatencyRecording(
    boolean recent, List<Double> firstResponseMillis, LongSupplier clock) {
  /** Counts and sums only. */
  public static final LatencyRecording NONE = new LatencyRecording(false, List.of(), () -> 0);

  public LatencyRecording {
    firstResponseMillis = List.copyOf(firstResponseMillis);
  }

  public LatencyRecording withoutRecent() {
    return new LatencyRecording(false, firstResponseMillis, clock);
  }
}

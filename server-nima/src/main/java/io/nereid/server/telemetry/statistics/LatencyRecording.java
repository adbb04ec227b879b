package io.nereid.server.telemetry.statistics;

import java.util.List;
import java.util.function.LongSupplier;

/**
 * What is kept of a model's requests beside counts and sums, since an operator wants it.
 *
 * @param recent whether durations of the last minute are, for quantiles
 * @param firstResponseMillis upper ends of the ranges by which first responses are counted,
 *     ascending; none: they are not
 * @param clock nanoseconds, never negative
 */
public record LatencyRecording(
    boolean recent, List<Double> firstResponseMillis, LongSupplier clock) {
  /** Nothing more. */
  public static final LatencyRecording NONE = new LatencyRecording(false, List.of(), () -> 0);

  public LatencyRecording {
    firstResponseMillis = List.copyOf(firstResponseMillis);
  }
}

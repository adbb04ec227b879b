package io.nereid.tools.load;

/**
 * Requests whose latencies exceeded a limit, and which waited at the same time.
 *
 * @param startNanos the time at which the first of them was due
 * @param endNanos the time at which the last of them was answered
 * @param requests their number
 * @param maxNanos their highest latency
 */
public record Stall(long startNanos, long endNanos, long requests, long maxNanos) {
  /** The stall with one more request, which waited from {@code dueNanos} until {@code nowNanos}. */
  Stall with(long dueNanos, long nowNanos) {
    return new Stall(
        Math.min(startNanos, dueNanos),
        Math.max(endNanos, nowNanos),
        requests + 1,
        Math.max(maxNanos, nowNanos - dueNanos));
  }
}

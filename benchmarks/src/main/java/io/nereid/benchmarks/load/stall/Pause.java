package io.nereid.benchmarks.load.stall;

/**
 * A time in which something stood still, of {@link System#nanoTime}.
 *
 * @param what stood still, or why
 */
public record Pause(String what, long startNanos, long endNanos) {
  public long nanos() {
    return endNanos - startNanos;
  }
}

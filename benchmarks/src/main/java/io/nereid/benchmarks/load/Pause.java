package io.nereid.benchmarks.load;

/**
 * A time in which something stood still, of {@link System#nanoTime}.
 *
 * @param what stood still, or why
 */
record Pause(String what, long startNanos, long endNanos) {
  long nanos() {
    return endNanos - startNanos;
  }
}

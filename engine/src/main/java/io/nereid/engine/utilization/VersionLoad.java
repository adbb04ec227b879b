package io.nereid.engine.utilization;

import io.nereid.engine.utilization.MeasuredVersion.Counts;
import org.jspecify.annotations.Nullable;

/**
 * The load of one model version: exponentially weighted averages over {@link #MEMORY_NANOS}. One
 * thread at a time.
 *
 * <p>With rate &lambda;, execution time E and wait W the utilization of n instances is &lambda; E /
 * n, times the fourth root of (E + W) / E. A balancer that weighs servers by the quotient of rate
 * and utilization thus weighs this one by n / E: its capacity, whatever share of the requests it
 * has. The wait corrects that, but gently: weighed by the time until the answer itself, servers
 * near their capacity are flooded and avoided in turn, since weights lag behind queues.
 */
final class VersionLoad {
  private static final double MEMORY_NANOS = 3e9;
  private static final double NANOS_PER_SECOND = 1e9;

  private @Nullable Counts last;
  private boolean isCounted;

  /** Requests and errors per second. */
  private double rate;

  private double errors;

  /** 0 if none was measured. */
  private double executionNanos;

  private double waitNanos;
  private int instances = 1;

  /**
   * Adds what was counted since the last call; the first one only begins.
   *
   * @param elapsedNanos since the last call, above 0
   */
  void count(Counts counts, long elapsedNanos) {
    Counts before = last;
    last = counts;
    instances = counts.instances();
    if (before == null) {
      return;
    }
    double seconds = elapsedNanos / NANOS_PER_SECOND;
    long arrived = counts.ended() + counts.inFlight() - before.ended() - before.inFlight();
    long failed = counts.errors() - before.errors();
    double weight = isCounted ? weight(elapsedNanos) : 1;
    rate += (Math.max(0, arrived) / seconds - rate) * weight;
    errors += (Math.max(0, failed) / seconds - errors) * weight;
    long succeeded = counts.succeeded() - before.succeeded();
    if (succeeded > 0) {
      double mean = (double) (counts.computeNanos() - before.computeNanos()) / succeeded;
      executionNanos += (mean - executionNanos) * (executionNanos == 0 ? 1 : weight);
    }
    isCounted = true;
  }

  /**
   * Adds a wait.
   *
   * @param nanos that a request would have waited that had arrived just now
   * @param elapsedNanos since the last call
   */
  void waited(long nanos, long elapsedNanos) {
    waitNanos += (nanos - waitNanos) * weight(elapsedNanos);
  }

  private static double weight(long elapsedNanos) {
    return 1 - Math.exp(-elapsedNanos / MEMORY_NANOS);
  }

  /** Whether requests are in flight, or have been so lately that their averages are not 0. */
  boolean isActive() {
    Counts counts = last;
    return rate > 1e-3 || errors > 1e-3 || (counts != null && counts.inFlight() > 0);
  }

  double requestsPerSecond() {
    return rate;
  }

  double errorsPerSecond() {
    return errors;
  }

  double utilization() {
    if (executionNanos == 0) { // nothing has ended yet
      return rate * waitNanos / NANOS_PER_SECOND / instances;
    }
    double busy = rate * executionNanos / NANOS_PER_SECOND / instances;
    return busy * Math.sqrt(Math.sqrt(1 + waitNanos / executionNanos));
  }
}

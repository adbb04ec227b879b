package io.nereid.benchmarks.load;

import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/** When requests are sent. */
sealed interface ArrivalProcess {
  /** How many requests may be unanswered at once. */
  int inFlight();

  /**
   * Every answer is followed at once by the next request, so a server that stalls is asked less:
   * throughput is honest, the tail of the latency is not.
   */
  record ClosedLoop(int inFlight) implements ArrivalProcess {
    public ClosedLoop {
      requirePositive(inFlight);
    }
  }

  /**
   * Requests fall due as a Poisson process, whatever the server does, as with many independent
   * clients. One that falls due while {@code inFlight} others are unanswered waits, and its waiting
   * counts as latency.
   *
   * @param perSecond requests a second in the mean
   * @param seed equal seeds give equal schedules
   */
  record OpenLoop(int inFlight, double perSecond, long seed) implements ArrivalProcess {
    private static final double NANOS_PER_SECOND = 1e9;

    public OpenLoop {
      requirePositive(inFlight);
      if (!(perSecond > 0) || Double.isInfinite(perSecond)) {
        throw new IllegalArgumentException("%s requests a second".formatted(perSecond));
      }
    }

    /** The due times, ascending, in nanoseconds after the start. */
    LongSupplier schedule() {
      var random = new SplittableRandom(seed);
      double meanGapNanos = NANOS_PER_SECOND / perSecond;
      return new LongSupplier() {
        // The sum is kept in floating point: rounding each gap to a nanosecond would change the
        // rate.
        private double dueNanos;

        @Override
        public long getAsLong() {
          // 1 - nextDouble() lies in (0, 1], where the logarithm is finite.
          dueNanos -= Math.log(1 - random.nextDouble()) * meanGapNanos;
          return (long) dueNanos;
        }
      };
    }
  }

  private static void requirePositive(int inFlight) {
    if (inFlight < 1) {
      throw new IllegalArgumentException("%d requests in flight".formatted(inFlight));
    }
  }
}

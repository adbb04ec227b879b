package io.nereid.benchmarks.load;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/** The rule that determines when requests are sent. */
sealed interface ArrivalProcess {
  /** The maximum number of requests in flight. */
  int inFlight();

  /**
   * Each response is followed by the next request at once. A stalled server receives fewer
   * requests, so the throughput is right but high percentiles of the latency are too low.
   */
  record ClosedLoop(int inFlight) implements ArrivalProcess {
    public ClosedLoop {
      requirePositive(inFlight);
    }
  }

  /**
   * Requests are due as a Poisson process, independent of the server's responses, as with many
   * independent clients. A request that is due while {@code inFlight} others are in flight waits,
   * and the time that it waits counts as latency.
   *
   * @param perSecond mean number of requests per second
   * @param seed seed of the schedule
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
        // In floating point, because rounding each gap to a nanosecond would change the rate.
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

  /**
   * A part of {@link Steps}.
   *
   * @param perSecond mean number of requests per second
   */
  record Step(double perSecond, double seconds) {}

  /**
   * Requests are due as a Poisson process whose rate changes from step to step.
   *
   * @param seed seed of the schedule
   */
  record Steps(int inFlight, List<Step> steps, long seed) implements ArrivalProcess {
    private static final double NANOS_PER_SECOND = 1e9;

    public Steps {
      requirePositive(inFlight);
      steps = List.copyOf(steps);
    }

    /** The due times, ascending, in nanoseconds after the start; without end at the last rate. */
    LongSupplier schedule() {
      var random = new SplittableRandom(seed);
      return new LongSupplier() {
        private double dueNanos;

        @Override
        public long getAsLong() {
          double rate = steps.get(stepAt((long) dueNanos)).perSecond();
          dueNanos -= Math.log(1 - random.nextDouble()) * NANOS_PER_SECOND / rate;
          return (long) dueNanos;
        }
      };
    }

    /** The step at a time after the start; the last one from its end on. */
    int stepAt(long nanos) {
      double left = nanos / NANOS_PER_SECOND;
      int step = 0;
      while (step < steps.size() - 1 && left >= steps.get(step).seconds()) {
        left -= steps.get(step).seconds();
        step++;
      }
      return step;
    }

    /** The duration of all steps. */
    long nanos() {
      return (long) (steps.stream().mapToDouble(Step::seconds).sum() * NANOS_PER_SECOND);
    }
  }

  private static void requirePositive(int inFlight) {
    if (inFlight < 1) {
      throw new IllegalArgumentException("%d requests in flight".formatted(inFlight));
    }
  }
}

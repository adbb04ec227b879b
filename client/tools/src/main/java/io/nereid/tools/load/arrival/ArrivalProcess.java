package io.nereid.tools.load.arrival;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.function.LongToDoubleFunction;

/** The rule that determines when requests are sent. */
public sealed interface ArrivalProcess {
  double NANOS_PER_SECOND = 1e9;

  /** The maximum number of requests in flight. */
  int inFlight();

  /** The due times, ascending, in nanoseconds after the start, without end. */
  LongSupplier schedule();

  /**
   * Each response is followed by the next request at once. A stalled server receives fewer
   * requests, so the throughput is right but high percentiles of the latency are too low.
   */
  record ClosedLoop(int inFlight) implements ArrivalProcess {
    public ClosedLoop {
      requirePositive(inFlight);
    }

    /** {@inheritDoc} None in this century: no request is due but by a response. */
    @Override
    public LongSupplier schedule() {
      return () -> Long.MAX_VALUE / 2;
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
    public OpenLoop {
      requirePositive(inFlight);
      if (!(perSecond > 0) || Double.isInfinite(perSecond)) {
        throw new IllegalArgumentException("%s requests a second".formatted(perSecond));
      }
    }

    @Override
    public LongSupplier schedule() {
      return poisson(seed, _ -> perSecond);
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
    public Steps {
      requirePositive(inFlight);
      steps = List.copyOf(steps);
    }

    /** {@inheritDoc} At the last rate behind the last step. */
    @Override
    public LongSupplier schedule() {
      return poisson(seed, nanos -> steps.get(stepAt(nanos)).perSecond());
    }

    /** The step at a time after the start; the last one from its end on. */
    public int stepAt(long nanos) {
      double left = nanos / NANOS_PER_SECOND;
      int step = 0;
      while (step < steps.size() - 1 && left >= steps.get(step).seconds()) {
        left -= steps.get(step).seconds();
        step++;
      }
      return step;
    }

    /** The duration of all steps. */
    public long nanos() {
      return (long) (steps.stream().mapToDouble(Step::seconds).sum() * NANOS_PER_SECOND);
    }
  }

  /**
   * The due times of a Poisson process.
   *
   * @param rateAt the mean number of requests per second at a time after the start
   */
  private static LongSupplier poisson(long seed, LongToDoubleFunction rateAt) {
    var random = new SplittableRandom(seed);
    return new LongSupplier() {
      // In floating point, because rounding each gap to a nanosecond would change the rate.
      private double dueNanos;

      @Override
      public long getAsLong() {
        // 1 - nextDouble() lies in (0, 1], where the logarithm is finite.
        dueNanos -=
            Math.log(1 - random.nextDouble())
                * NANOS_PER_SECOND
                / rateAt.applyAsDouble((long) dueNanos);
        return (long) dueNanos;
      }
    };
  }

  private static void requirePositive(int inFlight) {
    if (inFlight < 1) {
      throw new IllegalArgumentException("%d requests in flight".formatted(inFlight));
    }
  }
}

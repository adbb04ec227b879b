package io.nereid.tools.load.arrival;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class ArrivalProcessTest {
  private static final int MANY = 200_000;

  @Test
  void openLoopIsAPoissonProcessOfTheGivenRate() {
    var gaps = gaps(new ArrivalProcess.OpenLoop(1, 1000, 7));

    double mean = LongStream.of(gaps).average().orElseThrow();
    double variance =
        LongStream.of(gaps).mapToDouble(gap -> (gap - mean) * (gap - mean)).average().orElseThrow();
    double belowTheMean =
        (double) LongStream.of(gaps).filter(gap -> gap < 1_000_000).count() / MANY;

    // Exponential gaps: the deviation equals the mean, and 1 - 1/e of them are shorter than it.
    assertThat(mean).isCloseTo(1_000_000, within(10_000.0));
    assertThat(Math.sqrt(variance)).isCloseTo(1_000_000, within(20_000.0));
    assertThat(belowTheMean).isCloseTo(1 - 1 / Math.E, within(0.005));
  }

  @Test
  void scheduleDependsOnTheSeedOnly() {
    assertThat(gaps(new ArrivalProcess.OpenLoop(1, 1000, 7)))
        .isEqualTo(gaps(new ArrivalProcess.OpenLoop(9, 1000, 7)))
        .isNotEqualTo(gaps(new ArrivalProcess.OpenLoop(1, 1000, 8)));
  }

  @Test
  void rejectsInvalidRatesAndNumbers() {
    assertThatThrownBy(() -> new ArrivalProcess.OpenLoop(1, 0, 1))
        .hasMessageContaining("0.0 requests a second");
    assertThatThrownBy(() -> new ArrivalProcess.OpenLoop(1, Double.NaN, 1))
        .hasMessageContaining("NaN");
    assertThatThrownBy(() -> new ArrivalProcess.ClosedLoop(0))
        .hasMessageContaining("0 requests in flight");
  }

  @Test
  void requestsKeepTheirDueTimeWhenTheyAreAddedLate() {
    var process = new ArrivalProcess.OpenLoop(1, 1000, 7);
    var arrivals = new ArrivalQueue(process);
    var clock = new LateClock();
    var announced = new ArrayList<Long>();

    new ArrivalGenerator(
            process.schedule(),
            clock,
            0,
            100_000_000,
            arrivals,
            () -> announced.add(clock.nanoTime()))
        .run();

    var due = new ArrayList<Long>();
    for (long next = arrivals.take(0); next != ArrivalQueue.NONE; next = arrivals.take(0)) {
      due.add(next);
    }
    var schedule = process.schedule();
    assertThat(due)
        .isEqualTo(
            LongStream.generate(schedule).takeWhile(nanos -> nanos < 100_000_000).boxed().toList())
        .hasSizeBetween(70, 130);
    assertThat(announced).hasSizeBetween(due.size() / 2, due.size()).doesNotHaveDuplicates();
    for (long each : due) {
      assertThat(announced)
          .anySatisfy(at -> assertThat(at - each).isBetween(0L, LateClock.LATE_NANOS));
    }
  }

  @Test
  void requestsOfAClosedLoopAreDueAtOnceUntilItEnds() {
    var arrivals = new ArrivalQueue(new ArrivalProcess.ClosedLoop(1));

    assertThat(arrivals.take(17)).isEqualTo(17);
    arrivals.end();
    assertThat(arrivals.take(18)).isEqualTo(ArrivalQueue.NONE);
  }

  private static long[] gaps(ArrivalProcess.OpenLoop process) {
    var schedule = process.schedule();
    var gaps = new long[MANY];
    long before = 0;
    for (int i = 0; i < MANY; i++) {
      long due = schedule.getAsLong();
      gaps[i] = due - before;
      before = due;
    }
    return gaps;
  }

  /** A clock that advances only in {@link #sleepUntil}, which returns late. */
  private static final class LateClock implements ArrivalGenerator.Clock {
    static final long LATE_NANOS = 300_000;

    private long now;

    @Override
    public long nanoTime() {
      return now;
    }

    @Override
    public void sleepUntil(long nanos) {
      assertThat(nanos).isGreaterThan(now);
      now = nanos + LATE_NANOS;
    }
  }
}

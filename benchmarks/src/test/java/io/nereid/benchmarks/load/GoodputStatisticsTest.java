package io.nereid.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tools.load.arrival.ArrivalProcess;
import io.nereid.tools.load.arrival.ArrivalQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** Steps of load, and what becomes of the requests that are due in them. */
class GoodputStatisticsTest {
  private static final long SECOND = 1_000_000_000;

  private final ArrivalProcess.Steps steps =
      new ArrivalProcess.Steps(
          1, List.of(new ArrivalProcess.Step(1_000, 1), new ArrivalProcess.Step(4_000, 2)), 7);

  @Test
  void requestsAreDueAtTheRateOfTheirStep() {
    LongSupplier schedule = steps.schedule();
    int[] requests = new int[2];
    for (long due = schedule.getAsLong(); due < steps.nanos(); due = schedule.getAsLong()) {
      requests[steps.stepAt(due)]++;
    }
    assertThat(steps.nanos()).isEqualTo(3 * SECOND);
    assertThat(requests[0]).isBetween(900, 1_100);
    assertThat(requests[1]).isBetween(7_600, 8_400);
  }

  @Test
  void countsARequestInTheStepInWhichItIsDue() {
    var statistics = new GoodputStatistics(steps, 100, 1_000_000);
    statistics.succeeded(100, 1_000_100, 1, 1);
    statistics.succeeded(100, 1_000_101, 1, 1);
    statistics.refused(100 + SECOND);
    statistics.late(100 + SECOND);
    statistics.unsent(100 + 9 * SECOND);
    statistics.failed(0, "first");
    statistics.failed(0, "second");

    GoodputStatistics.Counts first = statistics.counts(0);
    assertThat(first.inTime).isEqualTo(1);
    assertThat(first.late).as("answered after the deadline").isEqualTo(1);
    assertThat(first.percentileMillis(50)).isBetween(0.99, 1.01);
    GoodputStatistics.Counts second = statistics.counts(1);
    assertThat(second.refused).isEqualTo(1);
    assertThat(second.late).isEqualTo(1);
    assertThat(second.unsent).isEqualTo(1);
    assertThat(second.all()).isEqualTo(3);
    assertThat(statistics.errors()).isEqualTo(2);
    assertThat(statistics.firstError()).isEqualTo("first");
  }

  @Test
  void aRequestThatHasWaitedForTooLongIsNotSent() {
    List<Long> unsent = new ArrayList<>();
    var arrivals = new ArrivalQueue(steps, 10, unsent::add);
    arrivals.add(100);
    arrivals.add(105);
    arrivals.add(120);

    assertThat(arrivals.take(116)).isEqualTo(120);
    assertThat(unsent).containsExactly(100L, 105L);
    assertThat(arrivals.take(116)).isEqualTo(ArrivalQueue.NONE);
  }
}

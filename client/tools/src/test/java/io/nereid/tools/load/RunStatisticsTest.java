package io.nereid.tools.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tools.load.arrival.ArrivalProcess;
import org.junit.jupiter.api.Test;

final class RunStatisticsTest {
  @Test
  void countsRequestsByResponseTimeInAClosedLoopAndByDueTimeInAnOpenOne() {
    var closed =
        new RunStatistics(new ArrivalProcess.ClosedLoop(1), 100, 200, LoadWindow.NO_STALLS, true);
    var open =
        new RunStatistics(
            new ArrivalProcess.OpenLoop(1, 1, 1), 100, 200, LoadWindow.NO_STALLS, true);
    for (var statistics : new RunStatistics[] {closed, open}) {
      statistics.succeeded(50, 99, 10, 10);
      statistics.succeeded(99, 100, 10, 10);
      statistics.succeeded(150, 160, 10, 10);
      statistics.succeeded(199, 900, 10, 10);
    }

    assertThat(closed.latencyNanos().getTotalCount()).isEqualTo(2);
    assertThat(open.latencyNanos().getTotalCount()).isEqualTo(2);
    assertThat(closed.latencyNanos().getMaxValue()).isEqualTo(10);
    assertThat(open.latencyNanos().getMaxValue()).isEqualTo(701);
    assertThat(closed.lateNanos()).isZero();
    assertThat(open.lateNanos()).isEqualTo(700);
  }

  @Test
  void countsAResponseOfAnotherLengthThanTheFirstAsAnError() {
    var statistics =
        new RunStatistics(new ArrivalProcess.ClosedLoop(1), 0, 100, LoadWindow.NO_STALLS, true);
    statistics.succeeded(0, 1, 1000, 1000);
    statistics.succeeded(0, 1, 1064, 1064);
    statistics.succeeded(0, 1, 1065, 1065);

    assertThat(statistics.latencyNanos().getTotalCount()).isEqualTo(2);
    assertThat(statistics.errors()).isEqualTo(1);
    assertThat(statistics.firstError()).contains("1065").contains("1000");
  }

  @Test
  void countsAFailureOfTheWarmUpForItself() {
    for (var process :
        new ArrivalProcess[] {
          new ArrivalProcess.ClosedLoop(1), new ArrivalProcess.OpenLoop(1, 1, 1)
        }) {
      var statistics = new RunStatistics(process, 100, 200, LoadWindow.NO_STALLS, true);
      statistics.failed(50, "first");
      statistics.failed(99, "second");
      assertThat(statistics.errors()).isZero();
      assertThat(statistics.warmupErrors()).isEqualTo(2);
      assertThat(statistics.firstError()).isEqualTo("first");

      statistics.failed(100, "third");
      statistics.failed(300, "fourth");
      assertThat(statistics.errors()).isEqualTo(2);
      assertThat(statistics.warmupErrors()).isEqualTo(2);
      assertThat(statistics.firstError()).isEqualTo("third");
    }
  }

  @Test
  void joinsLateRequestsThatWaitedAtTheSameTime() {
    var statistics = new RunStatistics(new ArrivalProcess.OpenLoop(1, 1, 1), 0, 1000, 20, true);
    statistics.succeeded(100, 120, 10, 10); // not above the limit
    statistics.succeeded(105, 140, 10, 10);
    statistics.succeeded(101, 141, 10, 10);
    statistics.succeeded(141, 170, 10, 10);
    statistics.succeeded(171, 192, 10, 10);
    statistics.succeeded(1000, 2000, 10, 10); // not due in the window

    assertThat(statistics.stalls())
        .containsExactly(new Stall(101, 170, 3, 40), new Stall(171, 192, 1, 21));
  }
}

package io.nereid.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.nereid.benchmarks.CpuTimes;
import io.nereid.benchmarks.load.arrival.ArrivalProcess;
import io.nereid.benchmarks.load.preset.Preset;
import io.nereid.benchmarks.load.stall.Stall;
import org.junit.jupiter.api.Test;

final class RunStatisticsTest {
  @Test
  void countsRequestsByResponseTimeInAClosedLoopAndByDueTimeInAnOpenOne() {
    var closed = new RunStatistics(new ArrivalProcess.ClosedLoop(1), 100, 200, LoadRun.NO_STALLS);
    var open = new RunStatistics(new ArrivalProcess.OpenLoop(1, 1, 1), 100, 200, LoadRun.NO_STALLS);
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
  }

  @Test
  void countsAResponseOfAnotherLengthThanTheFirstAsAnError() {
    var statistics = new RunStatistics(new ArrivalProcess.ClosedLoop(1), 0, 100, LoadRun.NO_STALLS);
    statistics.succeeded(0, 1, 1000, 1000);
    statistics.succeeded(0, 1, 1064, 1064);
    statistics.succeeded(0, 1, 1065, 1065);

    assertThat(statistics.latencyNanos().getTotalCount()).isEqualTo(2);
    assertThat(statistics.errors()).isEqualTo(1);
    assertThat(statistics.firstError()).contains("1065").contains("1000");
  }

  @Test
  void joinsLateRequestsThatWaitedAtTheSameTime() {
    var statistics = new RunStatistics(new ArrivalProcess.OpenLoop(1, 1, 1), 0, 1000, 20);
    statistics.succeeded(100, 120, 10, 10); // not above the limit
    statistics.succeeded(105, 140, 10, 10);
    statistics.succeeded(101, 141, 10, 10);
    statistics.succeeded(141, 170, 10, 10);
    statistics.succeeded(171, 192, 10, 10);
    statistics.succeeded(1000, 2000, 10, 10); // not due in the window

    assertThat(statistics.stalls())
        .containsExactly(new Stall(101, 170, 3, 40), new Stall(171, 192, 1, 21));
  }

  @Test
  void reportsLatenciesInMicrosecondsAndZerosWithoutRequests() {
    var process = new ArrivalProcess.ClosedLoop(1);
    var statistics = new RunStatistics(process, 0, Long.MAX_VALUE, LoadRun.NO_STALLS);
    var cpu = new CpuTimes(0, 0, 0, 0);
    var memory = new LoadReport.Memory(0, 0);
    var report = new LoadReport(Preset.all().getFirst(), process, 1, statistics, cpu, memory);
    assertThat(report)
        .returns(0.0, LoadReport::minMicros)
        .returns(0.0, LoadReport::meanMicros)
        .returns(0.0, LoadReport::maxMicros)
        .returns(0.0, none -> none.percentileMicros(99));

    for (int micros = 1; micros <= 10_000; micros++) {
      statistics.succeeded(0, micros * 1000L, 10, 10);
    }
    assertThat(report.count()).isEqualTo(10_000);
    assertThat(report.minMicros()).isCloseTo(1, within(0.01));
    assertThat(report.meanMicros()).isCloseTo(5000.5, within(5.0));
    assertThat(report.percentileMicros(50)).isCloseTo(5000, within(5.0));
    assertThat(report.percentileMicros(99.9)).isCloseTo(9990, within(10.0));
    assertThat(report.maxMicros()).isCloseTo(10_000, within(10.0));
  }
}

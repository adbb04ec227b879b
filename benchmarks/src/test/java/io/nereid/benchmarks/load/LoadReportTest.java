package io.nereid.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.nereid.benchmarks.CpuTimes;
import io.nereid.benchmarks.load.preset.Preset;
import io.nereid.tools.load.LoadWindow;
import io.nereid.tools.load.RunStatistics;
import io.nereid.tools.load.arrival.ArrivalProcess;
import org.junit.jupiter.api.Test;

final class LoadReportTest {
  @Test
  void reportsLatenciesInMicrosecondsAndZerosWithoutRequests() {
    var process = new ArrivalProcess.ClosedLoop(1);
    var statistics = new RunStatistics(process, 0, Long.MAX_VALUE, LoadWindow.NO_STALLS, true);
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

package io.nereid.benchmarks.load.stall;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tools.load.Stall;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StallReportTest {
  @Test
  void namesTheLongestPausesOfTheSameTime() {
    var stall = new Stall(millis(1500), millis(1530), 7, millis(25));
    var pauses =
        List.of(
            new Pause("before", millis(1490), millis(1499)),
            new Pause("until the start", millis(1499), millis(1500)),
            new Pause("longest", millis(1510), millis(1522)),
            new Pause("after", millis(1531), millis(1600)));

    assertThat(new StallReport(millis(1000), List.of(stall), pauses).lines())
        .containsExactly(
            "  stall at 0.500 s: 7 requests, at most 25.0 ms; longest 12.0 ms, until the start 1.0 ms");
    assertThat(new StallReport(millis(1000), List.of(stall), List.of()).lines())
        .containsExactly("  stall at 0.500 s: 7 requests, at most 25.0 ms; no pause");
  }

  @Test
  void readsTheSafepointsOfAJvm(@TempDir Path folder) throws Exception {
    var log = folder.resolve("safepoints.log");
    long now = System.currentTimeMillis();
    Files.writeString(
        log,
        """
        [%dms] Safepoint "SerialCollectForAllocation", Time since last: 411 ns, Reaching safepoint: 51 ns, \
        Cleanup: 1 ns, At safepoint: 5 ns, Leaving safepoint: 1 ns, Total:    2500000 ns, Threads: 0 runnable, 20 total
        [%dms] another line
        """
            .formatted(now - 10_000, now));

    assertThat(SafepointLog.read(log))
        .singleElement()
        .satisfies(pause -> {
          assertThat(pause.what()).isEqualTo("server's SerialCollectForAllocation");
          assertThat(pause.nanos()).isEqualTo(2_500_000);
          assertThat(System.nanoTime() - pause.endNanos())
              .isBetween(millis(9_900), millis(10_000) + TimeUnit.MINUTES.toNanos(1));
        });
  }

  @Test
  void observesTheCollectorOfTheGenerator() throws Exception {
    try (var monitor = PauseMonitor.start()) {
      long start = System.nanoTime();
      while (monitor.pauses().stream().noneMatch(pause -> pause.what().startsWith("collector"))) {
        assertThat(System.nanoTime() - start).isLessThan(TimeUnit.MINUTES.toNanos(1));
        System.gc();
        Thread.sleep(1);
      }
      var pause =
          monitor.pauses().stream()
              .filter(p -> p.what().startsWith("collector"))
              .findFirst()
              .orElseThrow();
      assertThat(pause.endNanos()).isGreaterThanOrEqualTo(pause.startNanos());
      assertThat(pause.startNanos() - start) // two clocks, of which each may be read late
          .isBetween(-TimeUnit.MINUTES.toNanos(1), TimeUnit.MINUTES.toNanos(1));
    }
  }

  private static long millis(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }
}

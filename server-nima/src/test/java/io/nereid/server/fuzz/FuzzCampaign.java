package io.nereid.server.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * Fuzzes each target for {@code -Dnereid.fuzz.seconds=60}, or those whose name contains {@code
 * -Dnereid.fuzz.target}; {@code -Dnereid.fuzz.jobs} at a time. Prints a row for each; what was
 * found is below {@code target/fuzz}. Not a part of the build, which only runs the committed
 * inputs.
 */
class FuzzCampaign {
  private static final long SECONDS = Long.getLong("nereid.fuzz.seconds", 60);
  private static final int JOBS = Integer.getInteger("nereid.fuzz.jobs", 1);
  private static final String TARGET = System.getProperty("nereid.fuzz.target", "");

  @Test
  void findsNothing() throws IOException {
    List<FuzzTarget> targets =
        FuzzTarget.all().stream().filter(target -> target.name().contains(TARGET)).toList();
    assertThat(targets).as("targets named '%s'", TARGET).isNotEmpty();
    System.out.printf("%d targets, %d s each%n%n%s%n", targets.size(), SECONDS, FuzzReport.HEADER);
    List<Future<FuzzReport>> reports = new ArrayList<>();
    try (var jobs = Executors.newFixedThreadPool(JOBS)) {
      for (FuzzTarget target : targets) {
        reports.add(jobs.submit(() -> fuzzed(target)));
      }
    }
    assertThat(reports).allSatisfy(report -> assertThat(report.get().findings()).isEmpty());
  }

  private static FuzzReport fuzzed(FuzzTarget target) throws IOException, InterruptedException {
    FuzzReport report = target.fuzz(Path.of("target", "fuzz"), SECONDS);
    System.out.println(report.row());
    return report;
  }
}

package io.nereid.benchmarks.torture.stop;

import io.nereid.benchmarks.CommandLines;
import io.nereid.benchmarks.torture.server.LaunchOptions;
import io.nereid.benchmarks.torture.server.ServerLauncher;
import io.nereid.benchmarks.torture.stop.StopRound.Result;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command line of the rounds. The exit status is 0, 1 if a round failed, or 2 if the arguments
 * are invalid.
 */
@Command(
    name = "stop-rounds",
    sortOptions = false,
    description =
        "Starts a server, loads it on both protocols, leaves requests half sent, and sends SIGTERM at a random moment: its exit"
            + " status must be 0, nothing that it accepted may be lost, and it must end within two seconds more than"
            + " the slowest request took.")
public final class StopRounds implements Callable<Integer> {
  private static final int MIN_MILLIS = 500;
  private static final int MAX_MILLIS = 3_000;

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final LaunchOptions launch = new LaunchOptions("stop-rounds", "-Xmx512m");

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "20",
      description = "${DEFAULT-VALUE}")
  private int rounds;

  @Option(
      names = "--seed",
      paramLabel = "S",
      defaultValue = "1",
      description = "Seed of the moments: ${DEFAULT-VALUE}.")
  private long seed;

  public static void main(String[] arguments) {
    System.exit(CommandLines.of(new StopRounds()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
    ServerLauncher launcher = launch.launcher();
    var moments = new Random(seed);
    out.println(
        "| round | SIGTERM after ms | answered | refused | lost | slowest ms | exit ms | status |");
    out.println("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    int failed = 0;
    for (int round = 1; round <= rounds; round++) {
      int millis = moments.nextInt(MIN_MILLIS, MAX_MILLIS);
      Result result = new StopRound(launcher).run("round-" + round, Duration.ofMillis(millis));
      out.println(row(round, millis, result));
      result.reasons().forEach(reason -> out.println("  lost: " + reason));
      failed += result.holds() ? 0 : 1;
    }
    out.println("%d of %d rounds failed; logs: %s".formatted(failed, rounds, launcher.logs()));
    return failed == 0 ? 0 : 1;
  }

  private static String row(int round, int millis, Result result) {
    return String.format(
        Locale.ROOT,
        "| %d | %d | %d | %d | %d | %d | %d | %s |",
        round,
        millis,
        result.answered(),
        result.refused(),
        result.lost(),
        result.slowestMillis(),
        result.exitMillis(),
        result.status().isPresent() ? result.status().getAsInt() : "runs on");
  }
}

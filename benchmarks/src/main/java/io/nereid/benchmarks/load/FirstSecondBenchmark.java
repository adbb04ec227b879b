package io.nereid.benchmarks.load;

import io.nereid.benchmarks.CommandLines;
import io.nereid.benchmarks.load.preset.Preset;
import io.nereid.benchmarks.torture.server.LaunchOptions;
import io.nereid.benchmarks.torture.server.Needs;
import io.nereid.benchmarks.torture.server.ServerLauncher;
import io.nereid.benchmarks.torture.server.Target;
import io.nereid.tools.load.LoadWindow;
import io.nereid.tools.load.arrival.ArrivalProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command line that measures the first second of requests to servers that have just started.
 */
@Command(
    name = "first-second",
    sortOptions = false,
    description =
        "Starts servers, lets some time pass, and sends 300 requests in a second: at random times, over 1 and 16"
            + " connections or calls of each protocol, whether or not responses have arrived. Prints medians of the"
            + " rounds; the longest latency is that of the first requests.",
    footer = {
      "",
      "Example, servers that warm up when they are ready, and others:",
      "  first-second --with=--server-warmup-after-ready=3000 \\",
      "    --with=--server-warmup-after-ready=0"
    })
public final class FirstSecondBenchmark implements Callable<Integer> {
  private static final List<String> CELLS = List.of("http simple json", "grpc simple");
  private static final List<Integer> IN_FLIGHT = List.of(1, 16);
  private static final double RATE = 300;
  private static final Duration STOP = Duration.ofSeconds(30);

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final LaunchOptions launch = new LaunchOptions("first-second", "");

  @Option(
      names = "--with",
      paramLabel = "OPTION",
      description =
          "An option of the server; repeatable: servers with each of them take turns. None: the defaults.")
  private List<String> variants = List.of();

  @Option(
      names = "--delay",
      paramLabel = "SECONDS",
      description = "How long nothing is sent once the server listens; repeatable: 0.1, 1 and 3.")
  private List<Double> delays = List.of(0.1, 1.0, 3.0);

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "How often each is measured: ${DEFAULT-VALUE}.")
  private int rounds;

  private long errors;

  public static void main(String[] arguments) {
    System.exit(
        CommandLines.of(new FirstSecondBenchmark())
            .setOverwrittenOptionsAllowed(true) // benchmarks/run names a server
            .execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException, TimeoutException {
    PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
    ServerLauncher launcher = launch.launcher();
    List<String> all = variants.isEmpty() ? List.of("") : variants;
    warmUpThisProcess(launcher);
    out.printf(
        "%-18s %3s %8s %9s %9s %9s  %s%n",
        "cell", "n", "after s", "p50 us", "p99 us", "max us", "");
    for (String cell : CELLS) {
      for (int inFlight : IN_FLIGHT) {
        for (double delay : delays) {
          measureInTurn(launcher, all, delay, Preset.named(cell).with(inFlight))
              .forEach((option, reports) -> print(out, delay, option, reports));
        }
      }
    }
    return errors == 0 ? 0 : 1;
  }

  /** The reports of all rounds, by the servers' option. */
  private Map<String, List<LoadReport>> measureInTurn(
      ServerLauncher launcher, List<String> options, double delay, Preset preset)
      throws IOException, InterruptedException, TimeoutException {
    Map<String, List<LoadReport>> reports = new LinkedHashMap<>();
    for (int round = 0; round < rounds; round++) {
      for (String option : options) {
        reports
            .computeIfAbsent(option, _ -> new ArrayList<>())
            .add(measure(launcher, option, delay, preset));
      }
    }
    return reports;
  }

  /** Has the code of the generator compiled, against a server that is not measured. */
  private static void warmUpThisProcess(ServerLauncher launcher)
      throws IOException, InterruptedException, TimeoutException {
    try (var server = launcher.start("warm-up", Needs.NOTHING, List.of())) {
      Target target = server.awaitTarget();
      for (String cell : CELLS) {
        run(
            target,
            Duration.ofSeconds(5),
            Preset.named(cell).with(16),
            new ArrivalProcess.ClosedLoop(16));
      }
    }
  }

  private LoadReport measure(ServerLauncher launcher, String option, double delay, Preset preset)
      throws IOException, InterruptedException, TimeoutException {
    List<String> options = option.isEmpty() ? List.of() : List.of(option);
    try (var server = launcher.start("server", Needs.NOTHING, options)) {
      Target target = server.awaitTarget();
      Thread.sleep(Duration.ofNanos((long) (delay * 1e9)));
      var arrivals = new ArrivalProcess.OpenLoop(preset.inFlight(), RATE, 1);
      LoadReport report = run(target, Duration.ofSeconds(1), preset, arrivals);
      errors += report.requests().errors();
      server.terminate();
      var _ = server.awaitExit(STOP);
      return report;
    }
  }

  private static LoadReport run(
      Target target, Duration time, Preset preset, ArrivalProcess arrivals)
      throws IOException, InterruptedException, TimeoutException {
    return new LoadRun(
            url(target.http().getPort()),
            url(target.grpc().getPort()),
            Optional.empty(),
            target.pid(),
            Duration.ZERO,
            time,
            LoadWindow.NO_STALLS)
        .run(preset, arrivals);
  }

  private static URI url(int port) {
    return URI.create("http://127.0.0.1:" + port);
  }

  private static void print(
      PrintWriter out, double delay, String option, List<LoadReport> reports) {
    Preset preset = reports.getFirst().preset();
    out.printf(
        Locale.ROOT,
        "%-18s %3d %8.1f %9.0f %9.0f %9.0f  %s%n",
        preset.cell(),
        preset.inFlight(),
        delay,
        median(reports, report -> report.percentileMicros(50)),
        median(reports, report -> report.percentileMicros(99)),
        median(reports, LoadReport::maxMicros),
        option);
  }

  private static double median(List<LoadReport> reports, ToDoubleFunction<LoadReport> value) {
    return reports.stream()
        .mapToDouble(value)
        .sorted()
        .skip(reports.size() / 2)
        .findFirst()
        .orElse(0);
  }
}

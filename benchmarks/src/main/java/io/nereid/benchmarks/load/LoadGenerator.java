package io.nereid.benchmarks.load;

import io.nereid.benchmarks.CommandLines;
import io.nereid.benchmarks.load.preset.Preset;
import io.nereid.benchmarks.load.stall.PauseMonitor;
import io.nereid.benchmarks.load.stall.SafepointLog;
import io.nereid.benchmarks.load.stall.StallReport;
import io.nereid.tools.load.LoadWindow;
import io.nereid.tools.load.RunStatistics;
import io.nereid.tools.load.arrival.ArrivalProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The command line of the load generator. The exit status is 0, 1 if a request failed, or 2 if the
 * arguments are invalid.
 */
@Command(
    name = "load",
    sortOptions = false,
    description =
        "Sends the baseline's requests to a server of the v2 protocol and reports throughput, latency and CPU time.",
    footer = {
      "",
      "Presets (the server needs the models in their names):",
      "  grpc simple, grpc identity 588 KiB, grpc mlp, grpc convnet,",
      "  http simple json, http identity json 1024 floats,",
      "  http simple binary, http identity binary 4 KiB, http identity binary 588 KiB,",
      "  http mlp binary, http convnet binary,",
      "  and beside the baseline:",
      "  grpc identity 1 MiB, grpc identity 4 MiB, grpc identity 16 MiB,",
      "  grpc identity 588 KiB in regions, http identity 588 KiB in regions (benchmarks/shared-memory)",
      "",
      "Example: load --preset 'http simple json' --inflight 16 --pid 4711 --rounds 3"
    })
public final class LoadGenerator implements Callable<Integer> {
  private static final double NANOS_PER_MILLI = 1e6;

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final MeasurementOptions measurement = new MeasurementOptions();

  @Option(
      names = "--preset",
      paramLabel = "NAME",
      description = "A cell of the baseline; repeatable.")
  private List<String> presets = List.of();

  @Option(names = "--all", description = "All cells of the baseline.")
  private boolean all;

  @Option(
      names = "--only",
      paramLabel = "REGEX",
      description = "Only the cells whose 'NAME N' contains a match.")
  private String only = "";

  @Option(
      names = "--inflight",
      paramLabel = "N",
      description = "Calls or connections in flight; by default those of the baseline's cells.")
  private @Nullable Integer inFlight;

  @Option(
      names = "--rate",
      paramLabel = "R",
      description =
          "Open loop: a Poisson process with a mean of R requests per second; latency counts from the time at which"
              + " a request was due. Without it, a closed loop: each response is followed by the next request.")
  private double rate;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Seed of the open loop's arrivals.",
      defaultValue = "1")
  private long seed;

  @Option(
      names = "--root-cert",
      paramLabel = "FILE",
      description = "Certificates in PEM that the server's is checked with, for URLs of https.")
  private @Nullable Path roots;

  @Option(
      names = "--stalls",
      paramLabel = "MS",
      description =
          "List when latencies were above MS, and what stood still then, as far as it is known: the machine and"
              + " the generator's collector are observed.")
  private double stalls;

  @Option(
      names = "--safepoints",
      paramLabel = "FILE",
      description =
          "The log that the server writes with -Xlog:safepoint:file=FILE:timemillis, for --stalls.")
  private @Nullable Path safepoints;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "1",
      description = "Number of rounds over all cells.")
  private int rounds;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "Append each result to a file as a line of JSON.")
  private @Nullable Path out;

  public static void main(String[] arguments) {
    System.exit(CommandLines.of(new LoadGenerator()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException, TimeoutException {
    var commandLine = Objects.requireNonNull(spec).commandLine();
    var cells = cells();
    var names =
        Stream.concat(Preset.all().stream(), Preset.besideBaseline().stream())
            .map(Preset::cell)
            .toList();
    for (var preset : presets) {
      if (!names.contains(preset)) {
        throw new ParameterException(
            commandLine, "no preset '%s'; see --help for the names".formatted(preset));
      }
    }
    if (cells.isEmpty()) {
      throw new ParameterException(
          commandLine, "no cell: use --all or --preset NAME; see --help for the names");
    }
    var run =
        new LoadRun(
            measurement.http,
            measurement.grpc,
            Optional.ofNullable(roots),
            measurement.pid,
            measurement.warmUp(),
            measurement.duration(),
            stalls > 0 ? (long) (stalls * NANOS_PER_MILLI) : LoadWindow.NO_STALLS);
    var table = commandLine.getOut();
    table.println(LoadReport.HEADER);
    long errors = 0;
    for (int round = 0; round < rounds; round++) {
      for (var cell : cells) {
        try (var pauses = stalls > 0 ? PauseMonitor.start() : PauseMonitor.idle()) {
          var report = run.run(cell, arrivals(cell));
          print(report, pauses, table);
          errors += report.requests().errors();
        }
      }
    }
    return errors == 0 ? 0 : 1;
  }

  private List<Preset> cells() {
    var pattern = Pattern.compile(only);
    int wanted = inFlight == null ? 0 : inFlight;
    return Stream.concat(
            Preset.all().stream().filter(cell -> all || presets.contains(cell.cell())),
            Preset.besideBaseline().stream().filter(cell -> presets.contains(cell.cell())))
        .map(cell -> wanted == 0 ? cell : cell.with(wanted))
        .distinct()
        .filter(cell -> pattern.matcher(cell.toString()).find())
        .toList();
  }

  private ArrivalProcess arrivals(Preset cell) {
    return rate > 0
        ? new ArrivalProcess.OpenLoop(cell.inFlight(), rate, seed)
        : new ArrivalProcess.ClosedLoop(cell.inFlight());
  }

  private void print(LoadReport report, PauseMonitor monitor, PrintWriter table)
      throws IOException {
    table.println(report.row());
    RunStatistics requests = report.requests();
    if (requests.errors() > 0) {
      table.println(
          "  %d errors, the first: %s".formatted(requests.errors(), requests.firstError()));
    }
    if (!requests.stalls().isEmpty()) {
      var pauses = new ArrayList<>(monitor.pauses());
      if (safepoints != null) {
        pauses.addAll(SafepointLog.read(safepoints));
      }
      new StallReport(requests.windowStartNanos(), requests.stalls(), pauses)
          .lines()
          .forEach(table::println);
    }
    if (out != null) {
      Files.writeString(
          out, report.json() + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
  }
}

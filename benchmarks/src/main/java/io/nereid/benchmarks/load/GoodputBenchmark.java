package io.nereid.benchmarks.load;

import io.nereid.benchmarks.CommandLines;
import io.nereid.benchmarks.CpuTimes;
import io.nereid.benchmarks.load.preset.Preset;
import io.nereid.tools.load.LoadWindow;
import io.nereid.tools.load.arrival.ArrivalGenerator;
import io.nereid.tools.load.arrival.ArrivalProcess;
import io.nereid.tools.load.arrival.ArrivalQueue;
import io.nereid.tools.load.transport.Load;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * How many requests does a server answer in time above its capacity? Measures the capacity of each
 * cell in a closed loop, then sends multiples of it in an open loop, where a request counts from
 * when it was due. The last columns are the processors that server, generator and others used: if
 * they are all that there are, the row says how much of the machine the refusals left for the
 * answers, and not how the server decides. The exit status is 0, or 1 if a request failed for
 * another reason than the load.
 */
@Command(
    name = "goodput",
    sortOptions = false,
    description =
        "Sends multiples of a server's capacity and reports how many requests are answered in time.")
public final class GoodputBenchmark implements Callable<Integer> {
  /** The share of the capacity before and after each overload. */
  private static final double USUAL = 0.5;

  /** The deadline as a multiple of the median latency of a lone request, and the shortest one. */
  private static final double DEADLINE_FACTOR = 10;

  private static final double MIN_DEADLINE_MILLIS = 10;

  /**
   * The most requests in flight: connections over HTTP, calls over gRPC. A request that finds none
   * free within a tenth of its deadline is not sent.
   */
  private static final int IN_FLIGHT = 128;

  /** The steps of a run: usual load, the overload, the second after it, and some more. */
  static final int BEFORE = 0;

  private static final double BEFORE_SECONDS = 3;
  static final int OVERLOAD = 1;
  static final int SECOND_AFTER = 2;

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final MeasurementOptions measurement = new MeasurementOptions();

  @Option(
      names = "--preset",
      paramLabel = "NAME",
      description = "A cell of the baseline; repeatable. Default: mlp and convnet, both protocols.")
  private List<String> presets =
      List.of("grpc mlp", "http mlp binary", "grpc convnet", "http convnet binary");

  @Option(
      names = "--factor",
      paramLabel = "F",
      description = "A multiple of the capacity; repeatable. Default: 1, 2, 3 and 10.")
  private List<Double> factors = List.of(1.0, 2.0, 3.0, 10.0);

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description =
          "Rounds over all multiples; the table has the median round of each. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  public static void main(String[] arguments) {
    System.exit(CommandLines.of(new GoodputBenchmark()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException, TimeoutException {
    long errors = 0;
    for (String name : presets) {
      Preset preset =
          Preset.all().stream()
              .filter(each -> each.cell().equals(name))
              .max((one, other) -> Integer.compare(one.inFlight(), other.inFlight()))
              .orElseThrow(() -> new IllegalArgumentException("no preset '" + name + "'"));
      errors += measure(preset);
    }
    return errors == 0 ? 0 : 1;
  }

  private long measure(Preset preset) throws IOException, InterruptedException, TimeoutException {
    LoadReport alone = closedLoop(preset.with(1), measurement.warmUp());
    double deadlineMillis =
        Math.max(MIN_DEADLINE_MILLIS, DEADLINE_FACTOR * alone.percentileMicros(50) / 1e3);
    long deadlineNanos = (long) (deadlineMillis * 1e6);
    warmUp(preset, deadlineNanos);
    LoadReport busy = closedLoop(preset, Duration.ofSeconds(1));
    double capacity = busy.count() / measurement.seconds;
    PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
    out.printf(
        Locale.ROOT,
        "%n%s: capacity %.0f/s with %d in flight, p50 %.2f ms, alone %.2f ms; deadline %.1f ms%n",
        preset.cell(),
        capacity,
        preset.inFlight(),
        busy.percentileMicros(50) / 1e3,
        alone.percentileMicros(50) / 1e3,
        deadlineMillis);
    var table = new GoodputTable(measurement.seconds, BEFORE_SECONDS + measurement.seconds + 2);
    for (int round = 0; round < rounds; round++) {
      for (double factor : factors) {
        CpuTimes before = CpuTimes.read(measurement.pid);
        GoodputStatistics statistics = overload(preset, capacity, factor, deadlineNanos);
        table.add(factor, statistics, CpuTimes.read(measurement.pid).minus(before));
      }
    }
    table.print(out);
    return table.errors();
  }

  /**
   * Has the code of generator and server compiled that only an open loop, or only refusals, run.
   */
  private void warmUp(Preset preset, long deadlineNanos)
      throws IOException, InterruptedException, TimeoutException {
    double capacity = closedLoop(preset, measurement.warmUp()).count() / measurement.seconds;
    double most = factors.stream().mapToDouble(Double::doubleValue).max().orElse(1);
    for (double factor : List.of(1.0, most)) {
      overload(preset, capacity, factor, deadlineNanos);
    }
  }

  private LoadReport closedLoop(Preset preset, Duration warmUp)
      throws IOException, InterruptedException, TimeoutException {
    return run(warmUp).run(preset, new ArrivalProcess.ClosedLoop(preset.inFlight()));
  }

  private LoadRun run(Duration warmUp) {
    return new LoadRun(
        measurement.http,
        measurement.grpc,
        Optional.empty(),
        0,
        warmUp,
        measurement.duration(),
        LoadWindow.NO_STALLS);
  }

  private GoodputStatistics overload(
      Preset preset, double capacity, double factor, long deadlineNanos)
      throws IOException, InterruptedException, TimeoutException {
    var steps =
        new ArrivalProcess.Steps(
            IN_FLIGHT,
            List.of(
                new ArrivalProcess.Step(USUAL * capacity, BEFORE_SECONDS),
                new ArrivalProcess.Step(factor * capacity, measurement.seconds),
                new ArrivalProcess.Step(USUAL * capacity, 1),
                new ArrivalProcess.Step(USUAL * capacity, 1)),
            1);
    long start = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(200);
    var statistics = new GoodputStatistics(steps, start, deadlineNanos);
    var arrivals = new ArrivalQueue(steps, deadlineNanos / 10, statistics::unsent);
    try (Load load =
        run(Duration.ZERO).open(preset.with(IN_FLIGHT), deadlineNanos, arrivals, statistics)) {
      load.start();
      new ArrivalGenerator(
              steps.schedule(),
              ArrivalGenerator.Clock.SYSTEM,
              start,
              start + steps.nanos(),
              arrivals,
              load::wake)
          .run();
      arrivals.end();
      load.finish(System.nanoTime() + TimeUnit.SECONDS.toNanos(5));
    }
    return statistics;
  }
}

package io.nereid.tools;

import io.nereid.client.NereidException;
import io.nereid.tools.data.DataException;
import io.nereid.tools.load.LoadWindow;
import io.nereid.tools.load.arrival.ArrivalProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code bench}: measures how fast a server answers for a model. */
@Command(
    name = "bench",
    description = {
      "Sends requests to a model of a server, and prints rates and latencies.",
      "In a closed loop, a number of requests is in flight, and each response is followed by the"
          + " next request. In an open loop requests are due at random times with a mean rate,"
          + " whether or not others were answered, and latency counts from when one was due.",
      "Without --inflight and --rate the number in flight doubles until the rate does not rise; then"
          + " an open loop follows at 50, 80 and 90 %% of that.",
      "Exits with 0 if all measured requests were answered, 1 if one failed, 2 if an option or a"
          + " file is wrong."
    },
    footer = {
      "",
      "Columns of the table; - is a figure that the server or the loop does not have:",
      "  loop                  closed or open",
      "  in flight             the most requests that wait for a response at a time",
      "  offered/s             requests per second that were due",
      "  requests/s, rows/s    what was answered per second",
      "  batch                 rows of an execution, on average",
      "  p50 ms to p99.9 ms    latency that so many %% of the requests did not exceed",
      "  max ms                the longest latency",
      "  queue ms, compute ms  mean time of a request in the queue and in execution",
      "  failed                failures, which rates and latencies leave out"
    },
    mixinStandardHelpOptions = true)
public final class BenchCommand implements Callable<Integer> {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int SPARE = 4;
  private static final List<Double> LOADS = List.of(0.5, 0.8, 0.9);
  private static final Pattern SHAPE = Pattern.compile("\\d+(,\\d+)*");

  @Spec private @Nullable CommandSpec spec;

  @Mixin private ModelLocation location = new ModelLocation();

  @Mixin private InputOptions input = new InputOptions();

  @Option(
      names = "--shape",
      paramLabel = "<input>=<d1,d2>",
      description =
          "The dimensions of a row of an input, where metadata leaves them open and no file is given."
              + " Repeatable.")
  private Map<String, String> shapes = new LinkedHashMap<>();

  @Option(
      names = "--inflight",
      paramLabel = "<n>",
      split = ",",
      description = "Closed loops with so many requests in flight. Repeatable, or with commas.")
  private List<Integer> inFlight = List.of();

  @Option(
      names = "--rate",
      paramLabel = "<requests/s>",
      split = ",",
      description = "Open loops of so many requests per second. Repeatable, or with commas.")
  private List<Double> rates = List.of();

  @Option(
      names = "--max-inflight",
      paramLabel = "<n>",
      defaultValue = "256",
      description = "The most in flight in a search and in open loops. Default: ${DEFAULT-VALUE}.")
  private int maxInFlight;

  @Option(
      names = "--seconds",
      paramLabel = "<seconds>",
      defaultValue = "5",
      description = "How long each is measured. Default: ${DEFAULT-VALUE}.")
  private double seconds;

  @Option(
      names = "--warmup",
      paramLabel = "<seconds>",
      defaultValue = "2",
      description = "How long requests are sent before that. Default: ${DEFAULT-VALUE}.")
  private double warmup;

  @Option(
      names = "--seed",
      paramLabel = "<number>",
      defaultValue = "1",
      description = "Of the data and of the times of open loops. Default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--report",
      paramLabel = "<file>",
      description = "Also writes all figures as JSON.")
  private Optional<Path> report = Optional.empty();

  @Override
  public Integer call() {
    var line = Objects.requireNonNull(spec).commandLine();
    return ExitStatus.of(
        line,
        location,
        1,
        () -> {
          check();
          try (AskedModel model = location.open();
              Stoppable _ = Stoppable.begin()) {
            return measure(model, line.getOut());
          }
        });
  }

  private void check() {
    require(!location.isFolder(), "bench measures a server: ./nereid serve starts one");
    require(
        inFlight.stream().allMatch(n -> n >= 1), "--inflight must be 1 or more, got " + inFlight);
    require(
        rates.stream().allMatch(rate -> rate > 0 && Double.isFinite(rate)),
        "--rate must be above 0, got " + rates);
    require(maxInFlight >= 1, "--max-inflight must be 1 or more, got " + maxInFlight);
    require(seconds > 0, "--seconds must be above 0, got " + seconds);
    require(warmup >= 0, "--warmup must be 0 or more, got " + warmup);
    shapes.forEach((name, dims) ->
        require(
            SHAPE.matcher(dims).matches(),
            "--shape: expected %s=<d1,d2>, got '%s'".formatted(name, dims)));
  }

  private static void require(boolean isRight, String sentence) {
    if (!isRight) {
      throw new DataException(sentence);
    }
  }

  private int measure(AskedModel model, PrintWriter out) throws IOException, InterruptedException {
    ModelRequests requests = requests(model);
    BenchRuns runs =
        new BenchRuns(
            model,
            new EncodedRequests(location, requests.requests()),
            requests.rowsOfRequest(),
            new LoadWindow(
                duration(warmup),
                duration(seconds),
                LoadWindow.NO_STALLS,
                /* isOfOneLength= */ false),
            out);
    Optional<SaturationSearch> saturation =
        inFlight.isEmpty() && rates.isEmpty()
            ? Optional.of(new SaturationSearch(maxInFlight))
            : Optional.empty();
    try {
      run(runs, saturation);
    } finally { // also of what was measured until it was stopped
      saturation
          .filter(search -> search.rate() > 0)
          .ifPresent(found -> out.println(runs.verdict(found)));
      out.flush();
      if (report.isPresent()) {
        Files.writeString(report.get(), runs.json(location.server(), saturation));
      }
    }
    return runs.failures() == 0 ? 0 : 1;
  }

  /** Makes the requests, and has one answered. */
  private ModelRequests requests(AskedModel model) throws IOException {
    Optional<Integer> batch = input.batch();
    if (!input.isGiven()) {
      ModelRequests made =
          new MetadataRequests(model, batch.orElse(1), dims(), new SplittableRandom(seed))
              .requests();
      try {
        var _ = made.send(model.client(), 0);
      } catch (NereidException failure) {
        throw MetadataRequests.explained(failure, model);
      }
      return made;
    }
    ModelRequests read = input.read(model, Optional.of(1), List.of());
    ExitStatus.notice(Objects.requireNonNull(spec).commandLine(), read.notice());
    require(
        batch.isEmpty()
            || read.rowsOfFile() == 0
            || read.rowsOfRequest() * read.requests().size() >= batch.get(),
        "--batch is %d, and the file has %.0f rows: requests of it would have no more"
            .formatted(batch.orElse(1), read.rowsOfRequest() * read.requests().size()));
    var _ = read.send(model.client(), 0); // which says what is wrong
    return read;
  }

  private void run(BenchRuns runs, Optional<SaturationSearch> saturation)
      throws InterruptedException {
    if (saturation.isPresent()) {
      SaturationSearch search = saturation.get();
      for (var next = search.next(); next.isPresent(); next = search.next()) {
        search.measured(runs.run(new ArrivalProcess.ClosedLoop(next.getAsInt())).rate());
      }
      for (double load : search.rate() > 0 ? LOADS : List.<Double>of()) {
        // with so many connections or calls that requests seldom wait for one
        open(runs, load * search.rate(), SPARE * search.inFlight());
      }
    }
    for (int n : inFlight) {
      runs.run(new ArrivalProcess.ClosedLoop(n));
    }
    for (double rate : rates) {
      open(runs, rate, maxInFlight);
    }
  }

  private static Duration duration(double time) {
    return Duration.ofNanos((long) (time * NANOS_PER_SECOND));
  }

  private void open(BenchRuns runs, double rate, int most) throws InterruptedException {
    runs.run(new ArrivalProcess.OpenLoop(Math.min(maxInFlight, most), rate, seed));
  }

  private Map<String, List<Long>> dims() {
    Map<String, List<Long>> dims = new LinkedHashMap<>();
    shapes.forEach((name, text) ->
        dims.put(name, Pattern.compile(",").splitAsStream(text).map(Long::valueOf).toList()));
    return dims;
  }
}

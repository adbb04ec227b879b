package io.nereid.benchmarks.stream;

import io.nereid.benchmarks.CommandLines;
import io.nereid.benchmarks.CpuTimes;
import io.nereid.benchmarks.torture.server.Needs;
import io.nereid.benchmarks.torture.server.ServerLauncher;
import io.nereid.benchmarks.torture.server.ServerProcess;
import io.nereid.benchmarks.torture.server.Target;
import io.nereid.client.NereidClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * How evenly do many clients of {@code generate_stream} get their tokens, what does a token cost
 * the server, and how soon do the requests of clients that leave end? Starts a server with a model
 * that gives each of its requests a token per step, so the baseline of the time between tokens is
 * the step. The exit status is 0, or 1 if a client got another number of tokens than it asked for.
 */
@Command(
    name = "streams",
    sortOptions = false,
    description = "Measures streams of tokens of many clients, some of which leave in the middle.")
public final class StreamBenchmark implements Callable<Integer> {
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long MAX_END_NANOS = TimeUnit.SECONDS.toNanos(10);

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "500",
      description = "Streams at a time: ${DEFAULT-VALUE}.")
  private int clients;

  @Option(
      names = "--leave",
      paramLabel = "SHARE",
      defaultValue = "0.1",
      description = "The share of the clients that leave in the middle: ${DEFAULT-VALUE}.")
  private double leave;

  @Option(
      names = "--tokens",
      paramLabel = "N",
      defaultValue = "250",
      description = "Tokens of each stream: ${DEFAULT-VALUE}.")
  private int tokens;

  @Option(
      names = "--step",
      paramLabel = "MS",
      defaultValue = "20",
      description = "The time between two tokens of the model: ${DEFAULT-VALUE}.")
  private int stepMillis;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description = "Rounds that are measured, after one of warm-up: ${DEFAULT-VALUE}.")
  private int rounds;

  public static void main(String[] arguments) {
    System.exit(CommandLines.of(new StreamBenchmark()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
    Path folder = Files.createTempDirectory("nereid-streams");
    Path models =
        TokenBackend.write(
            folder.resolve("models"), clients, TimeUnit.MILLISECONDS.toMicros(stepMillis));
    var launcher = new ServerLauncher(serve(), Map.of(), models, folder, 0);
    out.println(StreamReport.HEADER);
    int failures = 0;
    try (ServerProcess server = launcher.start("server", Needs.NOTHING, List.of())) {
      Target target = server.awaitTarget();
      try (NereidClient statistics =
          NereidClient.connect("http://127.0.0.1:" + target.http().getPort())) {
        for (int round = 0; round <= rounds; round++) {
          StreamReport report = measure(target, statistics);
          out.println(report.row() + (round == 0 ? "  (warm-up)" : ""));
          report.failure().ifPresent(text -> out.println("  failed: " + text));
          failures += report.failure().isPresent() ? 1 : 0;
        }
      }
    }
    return failures == 0 ? 0 : 1;
  }

  /** The command of a server with the class path of this process. */
  private static List<String> serve() {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "--enable-native-access=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow",
        "-cp",
        System.getProperty("java.class.path"),
        "io.nereid.server.Main",
        "serve");
  }

  private StreamReport measure(Target target, NereidClient statistics)
      throws IOException, InterruptedException {
    List<StreamClient> all =
        Stream.generate(() -> new StreamClient(target.http(), tokens)).limit(clients).toList();
    CpuTimes before = CpuTimes.read(target.pid());
    long failedBefore = failed(statistics);
    long start = System.nanoTime();
    List<Thread> threads = new ArrayList<>();
    for (StreamClient client : all) {
      threads.add(Thread.ofVirtual().start(client));
    }
    long endNanos = -1;
    int leaving = (int) (clients * leave);
    if (leaving > 0) {
      TimeUnit.MILLISECONDS.sleep((long) tokens * stepMillis / 2);
      for (StreamClient client : all.subList(0, leaving)) {
        client.leave();
      }
      endNanos = awaitFailed(statistics, failedBefore + leaving);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    CpuTimes used = CpuTimes.read(target.pid()).minus(before);
    return new StreamReport(all, seconds, used.server(), endNanos);
  }

  /** How long it takes from now until the server has counted so many failed requests. */
  private static long awaitFailed(NereidClient statistics, long count) throws IOException {
    long start = System.nanoTime();
    while (failed(statistics) < count) {
      if (System.nanoTime() - start > MAX_END_NANOS) {
        throw new IOException("requests of clients that have left do not end");
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return System.nanoTime() - start;
  }

  /** The requests of the model that have failed, as those of clients that left do. */
  private static long failed(NereidClient statistics) {
    return statistics.models().statistics(TokenBackend.MODEL).getFirst().requests().fail().count();
  }
}

package io.nereid.benchmarks.load;

import io.nereid.benchmarks.CommandLines;
import io.nereid.benchmarks.load.preset.GrpcRequest;
import io.nereid.benchmarks.load.preset.Preset;
import io.nereid.benchmarks.load.preset.RestRequest;
import io.nereid.benchmarks.sender.GrpcSender;
import io.nereid.benchmarks.sender.HttpSender;
import io.nereid.benchmarks.sender.Sender;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * What does a client wait for that asks once at a time, while others ask for all they can? Sends
 * requests from several addresses of the loopback interface, each of which is a client to the
 * server: greedy ones that share a number of connections, and one modest client with a single
 * request in flight.
 */
@Command(
    name = "fairness",
    sortOptions = false,
    description = "Measures a modest client's latency beside greedy ones.")
public final class FairnessBenchmark implements Callable<Integer> {
  private static final int MODEST = 0;
  private static final double NANOS_PER_MILLI = 1e6;
  private static final int SIGNIFICANT_DIGITS = 3;
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final MeasurementOptions measurement = new MeasurementOptions();

  @Option(
      names = "--preset",
      paramLabel = "NAME",
      description = "A cell of the baseline; repeatable. Default: simple, both protocols.")
  private List<String> presets = List.of("grpc simple", "http simple json");

  @Option(
      names = "--greedy",
      paramLabel = "N",
      description = "How many greedy clients; repeatable. Default: 0, 1, 10 and 100.")
  private List<Integer> greedyClients = List.of(0, 1, 10, 100);

  @Option(
      names = "--inflight",
      paramLabel = "N",
      defaultValue = "150",
      description = "Requests in flight of all greedy clients. Default: ${DEFAULT-VALUE}.")
  private int inFlight;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "1",
      description = "Rounds over all rows. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  /** Requests that failed, also before it was measured. */
  private final AtomicLong failed = new AtomicLong();

  private volatile boolean measuring;
  private volatile boolean ended;

  public static void main(String[] arguments) {
    System.exit(CommandLines.of(new FairnessBenchmark()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
    out.printf(
        "%-24s %7s %10s %12s %12s %8s %8s%n",
        "cell", "greedy", "req/s", "modest p50", "p99 ms", "count", "failed");
    long errors = 0;
    for (int round = 0; round < rounds; round++) {
      for (String name : presets) {
        for (int clients : greedyClients) {
          errors += measure(Preset.named(name), clients, out);
        }
      }
    }
    return errors == 0 ? 0 : 1;
  }

  private long measure(Preset preset, int clients, PrintWriter out)
      throws IOException, InterruptedException {
    failed.set(0);
    measuring = false;
    ended = false;
    var modest = new ConcurrentHistogram(SIGNIFICANT_DIGITS);
    var greedy = new ConcurrentHistogram(SIGNIFICANT_DIGITS);
    List<Thread> threads = new ArrayList<>();
    List<Sender> senders = new ArrayList<>();
    try {
      for (int client = 1; client <= clients; client++) {
        int own = inFlight / clients + (client <= inFlight % clients ? 1 : 0);
        for (int i = 0; i < own; i++) {
          threads.add(start(open(preset, client, senders), greedy, client));
        }
      }
      threads.add(start(open(preset, MODEST, senders), modest, MODEST));
      Thread.sleep(measurement.warmUp());
      measuring = true;
      Thread.sleep(measurement.duration());
      ended = true;
      for (Thread thread : threads) {
        thread.join();
      }
    } finally {
      ended = true;
      for (Sender sender : senders) {
        sender.close();
      }
    }
    out.printf(
        Locale.ROOT,
        "%-24s %7d %10.0f %12.2f %12.2f %8d %8d%n",
        preset.cell(),
        clients,
        (modest.getTotalCount() + greedy.getTotalCount()) / measurement.seconds,
        modest.getValueAtPercentile(50) / NANOS_PER_MILLI,
        modest.getValueAtPercentile(99) / NANOS_PER_MILLI,
        modest.getTotalCount(),
        failed.get());
    return failed.get();
  }

  private Sender open(Preset preset, int client, List<Sender> senders) throws IOException {
    InetAddress source = address(client);
    Sender sender =
        switch (preset.request()) {
          case RestRequest request ->
              new HttpSender(
                  source,
                  server(measurement.http),
                  true,
                  TIMEOUT,
                  request.to(measurement.http, preset.model()));
          case GrpcRequest request ->
              new GrpcSender(source, server(measurement.grpc), TIMEOUT, request.message());
        };
    senders.add(sender);
    sender.send(); // a server that does not answer is reported before the measurement
    return sender;
  }

  private static InetSocketAddress server(URI url) {
    return new InetSocketAddress(url.getHost(), url.getPort());
  }

  /** The address of a client: those of greedy ones are one after the other. */
  private static InetAddress address(int client) throws UnknownHostException {
    return InetAddress.getByAddress(
        new byte[] {127, 1, (byte) (client / 250), (byte) (1 + client % 250)});
  }

  private Thread start(Sender sender, Histogram latencies, int client) {
    return Thread.ofVirtual().name("client " + client).start(() -> loop(sender, latencies));
  }

  private void loop(Sender sender, Histogram latencies) {
    while (!ended) {
      long start = System.nanoTime();
      try {
        sender.send();
      } catch (IOException refused) {
        failed.incrementAndGet();
        continue;
      }
      if (measuring && !ended) {
        latencies.recordValue(System.nanoTime() - start);
      }
    }
  }
}

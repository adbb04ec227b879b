package io.nereid.benchmarks.load;

import io.grpc.netty.GrpcSslContexts;
import io.nereid.benchmarks.CpuTimes;
import io.nereid.benchmarks.load.arrival.ArrivalGenerator;
import io.nereid.benchmarks.load.arrival.ArrivalProcess;
import io.nereid.benchmarks.load.arrival.ArrivalQueue;
import io.nereid.benchmarks.load.preset.GrpcRequest;
import io.nereid.benchmarks.load.preset.Preset;
import io.nereid.benchmarks.load.preset.RestRequest;
import io.nereid.benchmarks.load.transport.ClientChannel;
import io.nereid.benchmarks.load.transport.GrpcLoad;
import io.nereid.benchmarks.load.transport.HttpLoad;
import io.nereid.benchmarks.load.transport.Load;
import io.nereid.benchmarks.load.transport.Outcomes;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The settings of a run of one cell, which connects, warms up, measures, and waits for the last
 * responses. The calling thread measures the time, and reads the CPU times at the start and the end
 * of the measured window.
 *
 * @param httpUrl with the scheme {@code https} for TLS; {@code grpcUrl} likewise
 * @param roots of certificates that the servers' are checked with
 * @param pid the server's process on this machine; 0 if it is unknown
 * @param stallNanos the latency above which a request is part of a stall
 */
record LoadRun(
    URI httpUrl,
    URI grpcUrl,
    Optional<Path> roots,
    long pid,
    Duration warmup,
    Duration measured,
    long stallNanos) {
  /** The limit of a run that looks for no stalls. */
  static final long NO_STALLS = Long.MAX_VALUE;

  /** The time limit for responses after the window. */
  private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final double NANOS_PER_SECOND = 1e9;

  /**
   * Runs {@code preset}.
   *
   * @throws IOException if a connection fails, or there is no such process in {@code /proc}
   * @throws IllegalStateException as soon as the load fails
   * @throws TimeoutException if the load does not end
   */
  LoadReport run(Preset preset, ArrivalProcess process)
      throws IOException, InterruptedException, TimeoutException {
    var arrivals = new ArrivalQueue(process);
    long start = System.nanoTime();
    long windowStart = start + warmup.toNanos();
    long windowEnd = windowStart + measured.toNanos();
    var statistics = new RunStatistics(process, windowStart, windowEnd, stallNanos);
    try (var load = open(preset, 0, arrivals, statistics)) {
      load.start();
      Thread generator = startGenerator(process, start, windowEnd, arrivals, load);
      CpuTimes cpu;
      try {
        load.awaitUntil(windowStart);
        var before = CpuTimes.read(pid);
        load.awaitUntil(windowEnd);
        cpu = CpuTimes.read(pid).minus(before);
        generator.join(); // it may be late
      } finally {
        arrivals.end(); // which ends the generator too, if the load has failed
        generator.join();
      }
      var memory = LoadReport.Memory.of(pid);
      load.finish(System.nanoTime() + DRAIN_NANOS);
      return new LoadReport(
          preset, process, measured.toNanos() / NANOS_PER_SECOND, statistics, cpu, memory);
    }
  }

  /** Starts the thread that adds requests; one that ends at once if the loop is closed. */
  private static Thread startGenerator(
      ArrivalProcess process, long start, long end, ArrivalQueue arrivals, Load load) {
    return Thread.ofPlatform()
        .name("arrivals")
        .daemon()
        .start(
            new ArrivalGenerator(
                process.schedule(),
                ArrivalGenerator.Clock.SYSTEM,
                start,
                end,
                arrivals,
                load::wake));
  }

  private static boolean isTls(URI url) {
    return url.getScheme().equals("https");
  }

  private Path roots(URI url) throws IOException {
    return roots.orElseThrow(() -> new IOException(url + " needs --root-cert"));
  }

  /**
   * Connects, and sends nothing yet.
   *
   * @param deadlineNanos of a request after it was due; 0 for none
   */
  Load open(Preset preset, long deadlineNanos, ArrivalQueue arrivals, Outcomes outcomes)
      throws IOException {
    return switch (preset.request()) {
      case RestRequest request ->
          new HttpLoad(
              httpUrl,
              isTls(httpUrl) ? ClientChannel.context(roots(httpUrl)) : null,
              (deadlineNanos == 0
                      ? request
                      : request.withDeadline(TimeUnit.NANOSECONDS.toMillis(deadlineNanos)))
                  .to(httpUrl, preset.model()),
              preset.inFlight(),
              arrivals,
              outcomes);
      case GrpcRequest request ->
          new GrpcLoad(
              grpcUrl,
              request.message(),
              preset.inFlight(),
              preset.grpcConnections(),
              deadlineNanos,
              isTls(grpcUrl)
                  ? Optional.of(
                      GrpcSslContexts.forClient().trustManager(roots(grpcUrl).toFile()).build())
                  : Optional.empty(),
              arrivals,
              outcomes);
    };
  }
}

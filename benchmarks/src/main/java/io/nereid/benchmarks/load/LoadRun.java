package io.nereid.benchmarks.load;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs one cell: connect, warm up, measure, let the last answers come. The calling thread keeps the
 * time and reads the CPU times at both ends of the measured window.
 *
 * @param pid the server's process on this machine, 0 if it is not known
 */
record LoadRun(URI httpUrl, URI grpcUrl, long pid, Duration warmup, Duration measured) {
  /** How long answers may take to come after the window. */
  private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final double NANOS_PER_SECOND = 1e9;

  /**
   * Runs {@code preset}.
   *
   * @throws IOException if the server does not accept, or {@code /proc} knows no such process
   * @throws TimeoutException if the generator hangs
   */
  LoadReport run(Preset preset, ArrivalProcess process)
      throws IOException, InterruptedException, TimeoutException {
    var arrivals = new Arrivals(process);
    long start = System.nanoTime();
    long windowStart = start + warmup.toNanos();
    long windowEnd = windowStart + measured.toNanos();
    var tally = new Tally(process, windowStart, windowEnd);
    try (var load = open(preset, arrivals, tally)) {
      load.start();
      var pacer = startPacer(process, start, windowEnd, arrivals, load);
      Pacer.Clock.SYSTEM.sleepUntil(windowStart);
      var before = CpuTimes.read(pid);
      Pacer.Clock.SYSTEM.sleepUntil(windowEnd);
      var cpu = CpuTimes.read(pid).minus(before);
      long rss = pid == 0 ? 0 : CpuTimes.memoryMebibytes(pid, "VmRSS");
      long peak = pid == 0 ? 0 : CpuTimes.memoryMebibytes(pid, "VmHWM");
      if (pacer.isPresent()) {
        pacer.get().join();
      }
      arrivals.end();
      load.finish(System.nanoTime() + DRAIN_NANOS);
      var reason = tally.firstFailure();
      return new LoadReport(
          preset,
          process,
          measured.toNanos() / NANOS_PER_SECOND,
          tally.latency(),
          tally.answerBytes(),
          cpu,
          rss,
          peak,
          tally.failures(),
          reason == null ? "" : reason);
    }
  }

  private static Optional<Thread> startPacer(
      ArrivalProcess process, long start, long end, Arrivals arrivals, Load load) {
    return switch (process) {
      case ArrivalProcess.ClosedLoop _ -> Optional.empty();
      case ArrivalProcess.OpenLoop open ->
          Optional.of(
              Thread.ofPlatform()
                  .name("pacer")
                  .daemon()
                  .start(
                      new Pacer(
                          open.schedule(), Pacer.Clock.SYSTEM, start, end, arrivals, load::wake)));
    };
  }

  private Load open(Preset preset, Arrivals arrivals, Tally tally) throws IOException {
    return switch (preset.request()) {
      case HttpRequest request ->
          new HttpLoad(
              httpUrl, request.to(httpUrl, preset.model()), preset.inFlight(), arrivals, tally);
      case GrpcRequest request ->
          new GrpcLoad(
              grpcUrl,
              request.message(),
              preset.inFlight(),
              preset.grpcConnections(),
              arrivals,
              tally);
    };
  }
}

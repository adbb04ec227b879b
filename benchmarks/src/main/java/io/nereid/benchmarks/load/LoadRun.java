package io.nereid.benchmarks.load;

import io.grpc.Metadata;
import io.grpc.netty.GrpcSslContexts;
import io.nereid.benchmarks.CpuTimes;
import io.nereid.benchmarks.load.preset.GrpcRequest;
import io.nereid.benchmarks.load.preset.Preset;
import io.nereid.benchmarks.load.preset.RestRequest;
import io.nereid.client.Tls;
import io.nereid.tools.load.LoadWindow;
import io.nereid.tools.load.RunStatistics;
import io.nereid.tools.load.arrival.ArrivalProcess;
import io.nereid.tools.load.arrival.ArrivalQueue;
import io.nereid.tools.load.transport.GrpcLoad;
import io.nereid.tools.load.transport.HttpLoad;
import io.nereid.tools.load.transport.Load;
import io.nereid.tools.load.transport.Outcomes;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
    var cpu = new CpuMarks(pid);
    RunStatistics statistics =
        new LoadWindow(warmup, measured, stallNanos, /* isOfOneLength= */ true)
            .run(process, (arrivals, outcomes) -> open(preset, 0, arrivals, outcomes), cpu);
    return new LoadReport(
        preset,
        process,
        measured.toNanos() / NANOS_PER_SECOND,
        statistics,
        cpu.used,
        LoadReport.Memory.of(pid));
  }

  /** The CPU times of the window. */
  private static final class CpuMarks implements LoadWindow.Marks {
    private final long pid;
    private CpuTimes used = new CpuTimes(0, 0, 0, 0);

    CpuMarks(long pid) {
      this.pid = pid;
    }

    @Override
    public void begin() throws IOException {
      used = CpuTimes.read(pid);
    }

    @Override
    public void end() throws IOException {
      used = CpuTimes.read(pid).minus(used);
    }
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
              isTls(httpUrl) ? Tls.trusting(roots(httpUrl)).context() : null,
              List.of(
                  (deadlineNanos == 0
                          ? request
                          : request.withDeadline(TimeUnit.NANOSECONDS.toMillis(deadlineNanos)))
                      .to(httpUrl, preset.model())),
              preset.inFlight(),
              arrivals,
              outcomes);
      case GrpcRequest request ->
          new GrpcLoad(
              grpcUrl,
              List.of(request.message()),
              preset.inFlight(),
              preset.grpcConnections(),
              deadlineNanos,
              isTls(grpcUrl)
                  ? Optional.of(
                      GrpcSslContexts.forClient().trustManager(roots(grpcUrl).toFile()).build())
                  : Optional.empty(),
              new Metadata(),
              arrivals,
              outcomes);
    };
  }
}

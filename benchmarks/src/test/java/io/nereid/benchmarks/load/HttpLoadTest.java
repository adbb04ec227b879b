package io.nereid.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.benchmarks.load.preset.Preset;
import io.nereid.tools.load.LoadWindow;
import io.nereid.tools.load.arrival.ArrivalGenerator;
import io.nereid.tools.load.arrival.ArrivalProcess;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HttpLoadTest {
  private static final Duration WARMUP = Duration.ofMillis(100);
  private static final Duration MEASURED = Duration.ofMillis(500);
  private static final URI NO_GRPC = URI.create("http://127.0.0.1:1");

  @ParameterizedTest
  @ValueSource(strings = {"http simple json", "http simple binary", "http identity binary 588 KiB"})
  void countsEveryResponseOfAClosedLoop(String cell) throws Exception {
    try (var server = new FakeHttpServer(_ -> FakeHttpServer.ok(300))) {
      var report = run(server.url(), cell, new ArrivalProcess.ClosedLoop(4));

      assertThat(report.requests().errors()).as(report.requests().firstError()).isZero();
      assertThat(report.count()).isPositive().isLessThanOrEqualTo(server.requests());
      assertThat(report.percentileMicros(50)).isPositive().isLessThan(report.maxMicros());
      assertThat(report.requests().responseBytes()).isEqualTo(FakeHttpServer.ok(300).length());
      assertThat(report.cpu().generator()).isPositive();
    }
  }

  @Test
  void keepsTheGivenNumberOfRequestsInFlight() throws Exception {
    var four = new CountDownLatch(4);
    var inFlight = new AtomicInteger();
    var most = new AtomicInteger();
    try (var server =
        new FakeHttpServer(_ -> {
          most.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
          four.countDown();
          awaited(four);
          inFlight.decrementAndGet();
          return FakeHttpServer.ok(10);
        })) {
      var report = run(server.url(), "http simple json", new ArrivalProcess.ClosedLoop(4));

      assertThat(report.requests().errors()).as(report.requests().firstError()).isZero();
      assertThat(most).hasValue(4);
    }
  }

  /** Without a warm-up, from which requests that were not sent in time are left out. */
  @Test
  void sendsAllRequestsOfAnOpenLoopsSchedule() throws Exception {
    var process = new ArrivalProcess.OpenLoop(16, 400, 1);
    try (var server = new FakeHttpServer(_ -> FakeHttpServer.ok(10))) {
      var report = run(server.url(), "http simple json", process, Duration.ZERO, MEASURED);

      var schedule = process.schedule();
      int total = 0;
      while (schedule.getAsLong() < MEASURED.toNanos()) {
        total++;
      }
      assertThat(report.requests().errors()).isZero();
      assertThat(server.requests()).isEqualTo(total);
      assertThat(report.count()).isEqualTo(total);
    }
  }

  @Test
  void latencyInAnOpenLoopIncludesTheWaitDuringAStall() throws Exception {
    try (var server = new StallingServer()) {
      var report =
          run(server.http.url(), "http simple json", new ArrivalProcess.OpenLoop(4, 200, 1));

      // About half of the requests are due during the stall of 250 ms and wait for its end.
      assertThat(report.requests().errors()).isZero();
      assertThat(report.percentileMicros(99)).isGreaterThan(200_000);
      assertThat(report.percentileMicros(75)).isGreaterThan(50_000);
    }
  }

  @Test
  void latencyInAClosedLoopOmitsTheWaitDuringAStall() throws Exception {
    try (var server = new StallingServer()) {
      var report = run(server.http.url(), "http simple json", new ArrivalProcess.ClosedLoop(1));

      assertThat(report.maxMicros()).isGreaterThan(200_000);
      assertThat(report.percentileMicros(75)).isLessThan(50_000);
    }
  }

  @Test
  void countsResponsesWithAnErrorStatusAsErrors() throws Exception {
    var unavailable = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nfull";
    try (var server = new FakeHttpServer(n -> n % 10 == 0 ? unavailable : FakeHttpServer.ok(10))) {
      var process = new ArrivalProcess.ClosedLoop(2);
      var report = run(server.url(), "http simple json", process, Duration.ZERO, MEASURED);

      assertThat(report.requests().errors()).isEqualTo(server.requests() / 10);
      assertThat(report.requests().firstError()).isEqualTo("HTTP status 503: full");
    }
  }

  @Test
  void countsALostConnectionAsOneErrorAndReconnects() throws Exception {
    try (var server =
        new FakeHttpServer(n -> n == 5 ? FakeHttpServer.HANG_UP : FakeHttpServer.ok(10))) {
      var process = new ArrivalProcess.ClosedLoop(2);
      var report = run(server.url(), "http simple json", process, Duration.ZERO, MEASURED);

      assertThat(report.requests().errors()).isEqualTo(1);
      assertThat(report.requests().firstError()).contains("closed the connection");
      assertThat(report.count()).isGreaterThan(5);
    }
  }

  @Test
  void failsOnceItsServerHasEnded() throws Exception {
    var server = new FakeHttpServer(_ -> FakeHttpServer.ok(10));
    CompletableFuture<LoadReport> run =
        CompletableFuture.supplyAsync(() -> {
          try {
            return run(
                server.url(),
                "http simple json",
                new ArrivalProcess.OpenLoop(4, 1000, 1),
                WARMUP,
                Duration.ofHours(1));
          } catch (Exception failed) {
            throw new CompletionException(failed);
          }
        });
    server.awaitRequest();

    server.close();

    assertThat(run)
        .failsWithin(Duration.ofSeconds(30))
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(IllegalStateException.class)
        .withMessage("the load failed: Connection refused");
  }

  @Test
  void failsNamingTheServerThatDoesNotListen() {
    var noServer = URI.create("http://127.0.0.1:1");

    assertThatThrownBy(() -> run(noServer, "http simple json", new ArrivalProcess.ClosedLoop(1)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("http://127.0.0.1:1");
  }

  private static LoadReport run(URI server, String cell, ArrivalProcess process) throws Exception {
    return run(server, cell, process, WARMUP, MEASURED);
  }

  private static LoadReport run(
      URI server, String cell, ArrivalProcess process, Duration warmup, Duration measured)
      throws Exception {
    return new LoadRun(server, NO_GRPC, Optional.empty(), 0, warmup, measured, LoadWindow.NO_STALLS)
        .run(Preset.named(cell).with(process.inFlight()), process);
  }

  private static void awaited(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A server that stalls once, for 250 ms, 250 ms after the first request: after the warm-up. */
  private static final class StallingServer implements AutoCloseable {
    private static final long QUARTER_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final ReentrantLock oneAtATime = new ReentrantLock();
    private final FakeHttpServer http = new FakeHttpServer(_ -> response());
    private long stallAt;
    private boolean begun;
    private boolean stalled;

    StallingServer() throws IOException {}

    private String response() {
      oneAtATime.lock();
      try {
        long now = System.nanoTime();
        if (!begun) {
          begun = true;
          stallAt = now + QUARTER_NANOS;
        } else if (!stalled && now - stallAt > 0) {
          stalled = true;
          ArrivalGenerator.Clock.SYSTEM.sleepUntil(now + QUARTER_NANOS);
        }
        return FakeHttpServer.ok(10);
      } finally {
        oneAtATime.unlock();
      }
    }

    @Override
    public void close() throws IOException {
      http.close();
    }
  }
}

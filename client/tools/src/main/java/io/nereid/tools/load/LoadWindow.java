package io.nereid.tools.load;

import io.nereid.tools.load.arrival.ArrivalGenerator;
import io.nereid.tools.load.arrival.ArrivalProcess;
import io.nereid.tools.load.arrival.ArrivalQueue;
import io.nereid.tools.load.transport.Load;
import io.nereid.tools.load.transport.Outcomes;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A measurement: a load connects, warms up, is measured, and waits for its last responses. The
 * calling thread measures the time. Requests of an open loop that are due while it warms up and
 * were not sent until it is measured are never sent, so that what is measured does not begin with a
 * queue.
 *
 * @param stallNanos the latency above which a request is part of a stall; {@link #NO_STALLS}
 * @param isOfOneLength whether a response of another length than the first is an error
 */
public record LoadWindow(
    Duration warmup, Duration measured, long stallNanos, boolean isOfOneLength) {
  /** The limit of a measurement that looks for no stalls. */
  public static final long NO_STALLS = Long.MAX_VALUE;

  /** The time limit for responses after the window. */
  private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Opens a load. */
  public interface Opening {
    /** Connects, and sends nothing yet. */
    Load open(ArrivalQueue arrivals, Outcomes outcomes) throws IOException;
  }

  /** What the calling thread does besides at the beginning and at the end of the window. */
  public interface Marks {
    /** At the beginning. */
    void begin() throws IOException;

    /** At the end. */
    void end() throws IOException;
  }

  /**
   * Measures. An interrupt after the window has begun ends it, and is set again at the return.
   *
   * @return what became of the requests; does not change any more
   * @throws InterruptedException if interrupted before the window has begun
   * @throws IOException if a connection fails, or one of the marks
   * @throws IllegalStateException as soon as the load fails
   * @throws TimeoutException if the load does not end
   */
  public RunStatistics run(ArrivalProcess process, Opening opening, Marks marks)
      throws IOException, InterruptedException, TimeoutException {
    var arrivals = new ArrivalQueue(process);
    long start = System.nanoTime();
    long windowStart = start + warmup.toNanos();
    long windowEnd = windowStart + measured.toNanos();
    var statistics = new RunStatistics(process, windowStart, windowEnd, stallNanos, isOfOneLength);
    boolean isStopped = false;
    try (var load = opening.open(arrivals, statistics)) {
      load.start();
      Thread generator = startGenerator(process, start, windowEnd, arrivals, load);
      try {
        load.awaitUntil(windowStart);
        arrivals.discardUntil(windowStart);
        marks.begin();
        isStopped = isStoppedUntil(windowEnd, load);
        if (isStopped) {
          statistics.stop(System.nanoTime());
        }
        marks.end();
        if (!isStopped) {
          generator.join(); // it may be late
        }
      } finally {
        arrivals.end(); // which ends the generator too, if the load has failed or was stopped
        generator.join();
      }
      load.finish(System.nanoTime() + DRAIN_NANOS);
    }
    if (isStopped) {
      Thread.currentThread().interrupt();
    }
    return statistics;
  }

  private static boolean isStoppedUntil(long end, Load load) {
    try {
      load.awaitUntil(end);
      return false;
    } catch (InterruptedException stopped) {
      return true;
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
}

package io.nereid.tools.load;

import io.nereid.tools.load.arrival.ArrivalProcess;
import io.nereid.tools.load.transport.Outcomes;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * The statistics of one run. The load's thread is the only writer but of the window's end; other
 * threads may read them after it has ended.
 *
 * <p>In a closed loop a request belongs to the measured window if its response arrives in the
 * window; in an open loop, if it is due in the window, so that requests which a stall delays count
 * too. One that fails belongs to the warm-up if it was due before the window.
 */
public final class RunStatistics implements Outcomes {
  /** Tolerated difference from the first response's length: ids and numbers vary in length. */
  private static final long LENGTH_TOLERANCE_BYTES = 64;

  private static final int SIGNIFICANT_DIGITS = 3;

  private final boolean countsByDueTime;
  private final long windowStartNanos;
  private volatile long windowEndNanos; // earlier if the measurement is stopped
  private final long stallNanos;
  private final boolean isOfOneLength;
  private final List<Stall> stalls = new ArrayList<>();
  private final Histogram latencyNanos = new Histogram(SIGNIFICANT_DIGITS);
  private long firstLength = -1;
  private long wireBytes;
  private long lateNanos;
  private long errors;
  private long warmupErrors;
  private String firstError = "";

  /**
   * Creates empty statistics.
   *
   * @param stallNanos the latency above which a request is part of a stall
   * @param isOfOneLength whether a response of another length than the first is an error
   */
  public RunStatistics(
      ArrivalProcess process,
      long windowStartNanos,
      long windowEndNanos,
      long stallNanos,
      boolean isOfOneLength) {
    countsByDueTime = process instanceof ArrivalProcess.OpenLoop;
    this.windowStartNanos = windowStartNanos;
    this.windowEndNanos = windowEndNanos;
    this.stallNanos = stallNanos;
    this.isOfOneLength = isOfOneLength;
  }

  @Override
  public void succeeded(long dueNanos, long nowNanos, long length, long bytes) {
    if (firstLength < 0) {
      firstLength = length;
    }
    if (isOfOneLength && Math.abs(length - firstLength) > LENGTH_TOLERANCE_BYTES) {
      failed(
          dueNanos,
          "a response of %d bytes, where the first had %d".formatted(length, firstLength));
      return;
    }
    long countsAt = countsByDueTime ? dueNanos : nowNanos;
    if (countsAt - windowStartNanos >= 0 && countsAt - windowEndNanos < 0) {
      latencyNanos.recordValue(Math.max(0, nowNanos - dueNanos));
      wireBytes += bytes;
      lateNanos = Math.max(lateNanos, nowNanos - windowEndNanos);
      if (nowNanos - dueNanos > stallNanos) {
        stalled(dueNanos, nowNanos);
      }
    }
  }

  /** Adds a request to the last stall if it has waited at the same time, else to a new one. */
  private void stalled(long dueNanos, long nowNanos) {
    if (!stalls.isEmpty() && dueNanos - stalls.getLast().endNanos() <= 0) {
      stalls.add(stalls.removeLast().with(dueNanos, nowNanos));
    } else {
      stalls.add(new Stall(dueNanos, nowNanos, 1, nowNanos - dueNanos));
    }
  }

  @Override
  public void failed(long dueNanos, String reason) {
    boolean isOfWarmup = dueNanos - windowStartNanos < 0;
    if (errors == 0 && (!isOfWarmup || warmupErrors == 0)) {
      firstError = reason;
    }
    if (isOfWarmup) {
      warmupErrors++;
    } else {
      errors++;
    }
  }

  /** Ends the window now. Called by the thread that measures. */
  void stop(long nowNanos) {
    windowEndNanos = nowNanos;
  }

  /** How long the window was. */
  public long windowNanos() {
    return windowEndNanos - windowStartNanos;
  }

  /** Latencies of the requests that succeeded in the window. */
  public Histogram latencyNanos() {
    return latencyNanos;
  }

  /** How long after the window the last request that counts was answered; at least 0. */
  public long lateNanos() {
    return lateNanos;
  }

  /** The beginning of the window. */
  public long windowStartNanos() {
    return windowStartNanos;
  }

  /** How many requests failed, without those of the warm-up. */
  public long errors() {
    return errors;
  }

  /** How many requests of the warm-up failed. */
  public long warmupErrors() {
    return warmupErrors;
  }

  /** The stalls, in the order of their ends. */
  public List<Stall> stalls() {
    return List.copyOf(stalls);
  }

  /** The reason of the first error, of the warm-up if it has all; empty if there is none. */
  public String firstError() {
    return firstError;
  }

  /** The mean size of a response in bytes; 0 if there is none. */
  public double responseBytes() {
    return (double) wireBytes / Math.max(1, latencyNanos.getTotalCount());
  }
}

package io.nereid.benchmarks.load;

import org.jspecify.annotations.Nullable;

/**
 * What came back in one run. The load's thread is the only writer; others read once that thread has
 * ended.
 *
 * <p>An answer belongs to the measured window by the time of its completion in a closed loop, by
 * the time at which its request was due in an open one: there, requests that a stall makes late are
 * part of the window in which they were due.
 */
final class Tally {
  /**
   * By how much an answer may differ in length from the first: an id, a number with a digit less.
   */
  private static final long LENGTH_TOLERANCE_BYTES = 64;

  private final boolean countsByDueTime;
  private final long windowStartNanos;
  private final long windowEndNanos;
  private final LatencyHistogram latency = new LatencyHistogram();
  private long firstLength = -1;
  private long wireBytes;
  private long failed;
  private @Nullable String firstFailure;

  Tally(ArrivalProcess process, long windowStartNanos, long windowEndNanos) {
    countsByDueTime = process instanceof ArrivalProcess.OpenLoop;
    this.windowStartNanos = windowStartNanos;
    this.windowEndNanos = windowEndNanos;
  }

  /**
   * Counts a whole, successful answer; one of another length than the first is a failure.
   *
   * @param dueNanos when its request was due
   * @param nowNanos when it was complete
   * @param length the message's or body's
   * @param bytes what the transport read for it, as far as it knows
   */
  void answered(long dueNanos, long nowNanos, long length, long bytes) {
    if (firstLength < 0) {
      firstLength = length;
    }
    if (Math.abs(length - firstLength) > LENGTH_TOLERANCE_BYTES) {
      failed("an answer of %d bytes, where the first had %d".formatted(length, firstLength));
      return;
    }
    long belongsAt = countsByDueTime ? dueNanos : nowNanos;
    if (belongsAt - windowStartNanos >= 0 && belongsAt - windowEndNanos < 0) {
      latency.record(nowNanos - dueNanos);
      wireBytes += bytes;
    }
  }

  /** Counts a request that got no good answer, in the window or outside. */
  void failed(String reason) {
    failed++;
    if (firstFailure == null) {
      firstFailure = reason;
    }
  }

  LatencyHistogram latency() {
    return latency;
  }

  long failures() {
    return failed;
  }

  /** The first failure's reason, if there was one. */
  @Nullable String firstFailure() {
    return firstFailure;
  }

  /** Bytes an answer in the mean, 0 with none. */
  double answerBytes() {
    return latency.count() == 0 ? 0 : (double) wireBytes / latency.count();
  }
}

package io.nereid.benchmarks.load;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Makes requests fall due on schedule. It neither sends nor waits for answers, so nothing that the
 * server does delays it, and a request that it announces late keeps the time at which it was due.
 */
final class Pacer implements Runnable {
  /** The time as the pacer sees it, so that a test can play it. */
  interface Clock {
    long nanoTime();

    /** Returns at {@code nanos} or a little later. */
    void sleepUntil(long nanos);

    /** The machine's own. */
    Clock SYSTEM =
        new Clock() {
          @Override
          public long nanoTime() {
            return System.nanoTime();
          }

          @Override
          public void sleepUntil(long nanos) {
            while (System.nanoTime() - nanos < 0) {
              LockSupport.parkNanos(nanos - System.nanoTime());
            }
          }
        };
  }

  private final LongSupplier schedule;
  private final Clock clock;
  private final long startNanos;
  private final long endNanos;
  private final Arrivals arrivals;
  private final Runnable announce;

  /**
   * @param schedule due times after {@code startNanos}, ascending
   * @param endNanos nothing falls due at this time or later
   * @param announce called after each addition to {@code arrivals}
   */
  Pacer(
      LongSupplier schedule,
      Clock clock,
      long startNanos,
      long endNanos,
      Arrivals arrivals,
      Runnable announce) {
    this.schedule = schedule;
    this.clock = clock;
    this.startNanos = startNanos;
    this.endNanos = endNanos;
    this.arrivals = arrivals;
    this.announce = announce;
  }

  @Override
  public void run() {
    for (long due = next(); due - endNanos < 0; due = next()) {
      if (due - clock.nanoTime() > 0) {
        clock.sleepUntil(due);
      }
      arrivals.add(due);
      announce.run();
    }
  }

  private long next() {
    return startNanos + schedule.getAsLong();
  }
}

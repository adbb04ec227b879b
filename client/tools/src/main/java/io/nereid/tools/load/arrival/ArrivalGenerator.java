package io.nereid.tools.load.arrival;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * The task that adds requests to an {@link ArrivalQueue} when they are due. It neither sends
 * requests nor waits for responses, so the server cannot delay it. A request that it adds late
 * keeps the time at which it was due. It ends when the arrivals do.
 *
 * @param schedule due times after {@code startNanos}, ascending
 * @param endNanos no request is due at this time or later
 * @param announce runs after additions to {@code arrivals}, once for all requests that were due
 */
public record ArrivalGenerator(
    LongSupplier schedule,
    Clock clock,
    long startNanos,
    long endNanos,
    ArrivalQueue arrivals,
    Runnable announce)
    implements Runnable {
  /** A source of time that tests can replace. */
  public interface Clock {
    long nanoTime();

    /** Returns at {@code nanos} or a little later. */
    void sleepUntil(long nanos);

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

  @Override
  public void run() {
    long now = clock.nanoTime();
    long due = next();
    while (due - endNanos < 0 && !arrivals.ended()) {
      if (due - now > 0) {
        clock.sleepUntil(due);
        now = clock.nanoTime();
      }
      while (due - now <= 0 && due - endNanos < 0) {
        arrivals.add(due);
        due = next();
      }
      announce.run();
    }
  }

  private long next() {
    return startNanos + schedule.getAsLong();
  }
}

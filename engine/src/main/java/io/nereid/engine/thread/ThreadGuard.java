package io.nereid.engine.thread;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The guard of one of the server's own threads. It runs the thread's work part by part, so that a
 * part that fails, also with an {@link Error}, does not end the thread. The first failure is
 * logged, later ones once a minute at most. The thread calls {@link #run}; any thread may ask
 * whether it {@link #isWorking}.
 *
 * <pre>{@code
 * while (!closed) {
 *   guard.run(this::writeAll);
 * }
 * }</pre>
 */
public final class ThreadGuard {
  private static final System.Logger LOG = System.getLogger(ThreadGuard.class.getName());
  private static final long LOG_INTERVAL_NANOS = Duration.ofMinutes(1).toNanos();

  /** The pause behind a failure: one that comes again at once would keep a processor busy. */
  private static final long PAUSE_NANOS = Duration.ofMillis(10).toNanos();

  /** After so many failures without a success between them, the work does not get done. */
  private static final int MAX_FAILURES = 100;

  private final String worker;

  /** The failures since the last success. */
  private final AtomicInteger failures = new AtomicInteger();

  final AtomicInteger allFailures = new AtomicInteger();
  private final AtomicLong nextLogNanos = new AtomicLong(System.nanoTime());

  /**
   * @param worker the thread's name, or that of what several threads do, for the log
   */
  public ThreadGuard(String worker) {
    this.worker = worker;
  }

  /** Runs a part of the work; returns whether it succeeded. Does not throw. */
  public boolean run(Runnable part) {
    try {
      part.run();
    } catch (Throwable failure) { // also an Error: the thread must go on
      failed(failure);
      LockSupport.parkNanos(PAUSE_NANOS);
      return false;
    }
    if (failures.get() != 0) {
      failures.set(0);
    }
    return true;
  }

  /**
   * Runs a part of the work again until it succeeds, since others wait for it; returns false if it
   * has failed too often. Does not throw.
   */
  public boolean runUntilDone(Runnable part) {
    while (!run(part)) {
      if (!isWorking()) {
        return false;
      }
    }
    return true;
  }

  /** Logs a failure that was caught elsewhere, and counts it. Does not throw. */
  public void failed(Throwable failure) {
    failures.incrementAndGet();
    int all = allFailures.incrementAndGet();
    try {
      long now = System.nanoTime();
      long due = nextLogNanos.get();
      if (now - due >= 0 && nextLogNanos.compareAndSet(due, now + LOG_INTERVAL_NANOS)) {
        LOG.log(
            Level.ERROR,
            worker
                + " goes on after a failure; so far "
                + all
                + ". This is logged once a minute at most.",
            failure);
      }
    } catch (Throwable noMemory) {
      nextLogNanos.set(System.nanoTime()); // for the line; the next failure tries again
    }
  }

  /** Whether the work gets done: not if every part has failed for some time. */
  public boolean isWorking() {
    return failures.get() < MAX_FAILURES;
  }
}

package io.nereid.engine.thread;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A thread that does the same work again and again, also behind a failure. */
public final class IntervalRunner implements AutoCloseable {
  private final ThreadGuard guard;
  private final long intervalNanos;
  private final Runnable work;
  private final Thread thread;
  private volatile boolean ended;

  private IntervalRunner(String name, Duration interval, Runnable work) {
    this.guard = new ThreadGuard(name);
    this.intervalNanos = interval.toNanos();
    this.work = work;
    this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
  }

  /**
   * Starts the thread.
   *
   * @param interval the pause before each run of the work
   */
  public static IntervalRunner start(String name, Duration interval, Runnable work) {
    var runner = new IntervalRunner(name, interval, work);
    runner.thread.start();
    return runner;
  }

  private void run() {
    while (pause()) {
      guard.run(work);
    }
  }

  /** Waits for the next run; returns false if there is none. */
  private boolean pause() {
    long begin = System.nanoTime();
    long left = intervalNanos;
    while (!ended && left > 0) {
      LockSupport.parkNanos(this, left);
      Thread.interrupted(); // would end each pause at once
      left = begin + intervalNanos - System.nanoTime();
    }
    return !ended;
  }

  /** Has the thread end behind the present run, without waiting for that. */
  public void end() {
    ended = true;
    LockSupport.unpark(thread);
  }

  /** Ends the thread, and waits for the present run. */
  @Override
  public void close() {
    end();
    Uninterrupted.until(() -> !thread.isAlive(), thread::join);
  }
}

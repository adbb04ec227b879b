package io.nereid.engine.memory;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/** Memory with a count of its holders, released by the last of them. Thread-safe. */
public final class SharedLease implements Runnable {
  private static final AtomicIntegerFieldUpdater<SharedLease> HOLDERS =
      AtomicIntegerFieldUpdater.newUpdater(SharedLease.class, "holders");

  private final Runnable release;

  @SuppressWarnings("unused") // through HOLDERS
  private volatile int holders = 1;

  /**
   * Starts with one holder: the caller.
   *
   * @param release run once, by the last holder's thread
   */
  public SharedLease(Runnable release) {
    this.release = release;
  }

  /** Adds a holder. The caller is a holder itself, so the count is not 0. */
  public void retain() {
    HOLDERS.incrementAndGet(this);
  }

  /** Removes a holder. Each holder calls it once. */
  public void release() {
    int left = HOLDERS.decrementAndGet(this);
    if (left == 0) {
      release.run();
    } else if (left < 0) {
      throw new IllegalStateException("released by more holders than there are");
    }
  }

  /** {@link #release}, for holders that take a {@code Runnable}. */
  @Override
  public void run() {
    release();
  }
}

package io.nereid.server.memory;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/** Memory that several holders look at, and that goes back when the last of them lets go. */
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

  /** Adds a holder. The caller is one already, so the memory cannot vanish meanwhile. */
  public void retain() {
    HOLDERS.incrementAndGet(this);
  }

  /** Lets go; each holder does so once. */
  public void release() {
    int left = HOLDERS.decrementAndGet(this);
    if (left == 0) {
      release.run();
    } else if (left < 0) {
      throw new IllegalStateException("released by more holders than there are");
    }
  }

  /** As {@link #release}: what a holder leaves behind to be run. */
  @Override
  public void run() {
    release();
  }
}

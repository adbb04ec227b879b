package io.nereid.memory;

import java.util.concurrent.atomic.AtomicInteger;

/** Memory that several holders look at, and that goes back when the last of them lets go. */
public final class SharedLease {
  private final Runnable release;
  private final AtomicInteger holders = new AtomicInteger(1);

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
    holders.incrementAndGet();
  }

  /** Lets go; each holder does so once. */
  public void release() {
    int left = holders.decrementAndGet();
    if (left == 0) {
      release.run();
    } else if (left < 0) {
      throw new IllegalStateException("released by more holders than there are");
    }
  }
}

package io.nereid.engine.scheduling.policy.sequence;

/**
 * How long a sequence waits for a slot if none is free, from the mean interval at which sequences
 * of the backlog get theirs: an exponentially weighted moving average.
 */
final class SlotWait {
  /** The weight of a measurement is one divided by this. */
  private static final int SMOOTHING = 8;

  /** 0 if none was measured. */
  private long meanNanos;

  /** When the backlog got its first sequence, or a sequence of it got a slot. */
  private long lastNanos;

  /** The backlog was empty and gets a sequence. */
  void backlogBegins(long now) {
    lastNanos = now;
  }

  /** A sequence of the backlog gets a slot. */
  void promoted(long now) {
    long interval = Math.max(1, now - lastNanos);
    meanNanos = meanNanos == 0 ? interval : meanNanos + (interval - meanNanos) / SMOOTHING;
    lastNanos = now;
  }

  /**
   * The expected wait of a new sequence; 0 if no interval was measured. A slot that is late is
   * taken to need as much time again as it is late.
   *
   * @param ahead the number of sequences in the backlog
   */
  long nanos(int ahead, long now) {
    long next = ahead == 0 ? meanNanos : Math.abs(meanNanos - (now - lastNanos));
    return meanNanos == 0 ? 0 : next + ahead * meanNanos;
  }
}

package io.nereid.engine.telemetry.trace;

import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The choice of the requests that are traced by some settings: every {@code rate}-th one, until
 * their count is used up. A change of the settings makes a new sampler. Thread-safe.
 */
public final class TraceSampler {
  private final TraceSettings settings;
  private final boolean active;
  private final AtomicLong seen = new AtomicLong();

  /** How many are still to be sampled; -1 for any number. Written under the lock. */
  private volatile int remaining;

  /** How many were sampled and not dropped; guarded by this. */
  private long sampled;

  private volatile boolean replaced;

  TraceSampler(TraceSettings settings) {
    this.settings = settings;
    this.active = !settings.levels().isEmpty() && settings.obstacle().isEmpty();
    this.remaining = settings.count();
  }

  /** The settings, with the count that is left. */
  public TraceSettings settings() {
    return new TraceSettings(
        settings.levels(),
        settings.rate(),
        remaining,
        settings.logFrequency(),
        settings.destination());
  }

  /** What is recorded of a request. */
  Set<TraceLevel> levels() {
    return exports() ? Set.of(TraceLevel.TIMESTAMPS) : settings.levels();
  }

  /** Whether traces go to an exporter, and have the contexts of clients. */
  boolean exports() {
    return settings.destination() instanceof TraceDestination.OpenTelemetry;
  }

  /** How many traces a file has; 0 for one file. */
  public long logFrequency() {
    return settings.logFrequency();
  }

  /** How many elements of a tensor are recorded. */
  int maxElements() {
    return settings.destination() instanceof TraceDestination.Files(_, _, _, int max) ? max : 0;
  }

  boolean isActive() {
    return active;
  }

  /** Counts a request; returns whether it is to be traced. */
  boolean isHit() {
    long rate = settings.rate();
    if (!active || rate == 0 || remaining == 0 || seen.incrementAndGet() % rate != 0) {
      return false;
    }
    synchronized (this) {
      if (remaining == 0) {
        return false;
      }
      if (remaining > 0) {
        remaining--;
      }
      sampled++;
      return true;
    }
  }

  /** Whether any number of requests is sampled. */
  public boolean isUnlimited() {
    return remaining < 0;
  }

  /** Whether no request will be sampled any more, and {@code collected} are all that were. */
  public synchronized boolean isExhausted(long collected) {
    return remaining == 0 && collected == sampled;
  }

  /** One that was sampled will never be collected. */
  public synchronized void drop() {
    sampled--;
  }

  void replace() {
    replaced = true;
  }

  /** Whether other settings have come into force. */
  public boolean isReplaced() {
    return replaced;
  }
}

package io.nereid.server.memory;

import io.nereid.error.InferenceException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Counts the leases that a limit has refused, and logs one a minute at most. Thread-safe. */
final class RefusedLeases {
  private static final System.Logger LOG = System.getLogger(RefusedLeases.class.getName());
  private static final long LOG_INTERVAL_NANOS = Duration.ofMinutes(1).toNanos();

  private final LongAdder count = new LongAdder();
  private final LongSupplier clock;
  private final AtomicLong nextLogNanos;

  /**
   * @param clock nanoseconds from any origin
   */
  RefusedLeases(LongSupplier clock) {
    this.clock = clock;
    nextLogNanos = new AtomicLong(clock.getAsLong());
  }

  /** Counts a refusal. */
  void count(InferenceException refusal) {
    count.increment();
    long now = clock.getAsLong();
    long due = nextLogNanos.get();
    if (now - due >= 0 && nextLogNanos.compareAndSet(due, now + LOG_INTERVAL_NANOS)) {
      LOG.log(
          Level.WARNING,
          "{0}; refused so far: {1}. This is logged once a minute at most.",
          refusal.getMessage(),
          Long.toString(count.sum()));
    }
  }

  long sum() {
    return count.sum();
  }
}

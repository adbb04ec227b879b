package io.nereid.engine.telemetry.refusal;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Counts refusals of one kind, and logs the first in a minute. Thread-safe. */
public final class RefusalCounter {
  private static final System.Logger LOG = System.getLogger(RefusalCounter.class.getName());
  private static final long LOG_INTERVAL_NANOS = Duration.ofMinutes(1).toNanos();

  private final LongAdder count = new LongAdder();
  private final LongSupplier clock;
  private final AtomicLong nextLogNanos;

  /**
   * @param clock nanoseconds from any origin
   */
  public RefusalCounter(LongSupplier clock) {
    this.clock = clock;
    nextLogNanos = new AtomicLong(clock.getAsLong());
  }

  /**
   * Counts a refusal.
   *
   * @param event what was refused, for the log; called if it is logged
   */
  public void count(Level level, Supplier<String> event) {
    count.increment();
    long now = clock.getAsLong();
    long due = nextLogNanos.get();
    if (now - due >= 0 && nextLogNanos.compareAndSet(due, now + LOG_INTERVAL_NANOS)) {
      LOG.log(
          level,
          "{0}; so far {1}. This is logged once a minute at most.",
          event.get(),
          Long.toString(count.sum()));
    }
  }

  public long sum() {
    return count.sum();
  }
}

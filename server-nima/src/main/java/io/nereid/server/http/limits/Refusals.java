package io.nereid.server.http.limits;

import io.nereid.server.memory.ClientKey;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Counts what was refused, and logs the first of each kind in a minute, whatever the number of
 * clients. Thread-safe.
 */
public final class Refusals {
  private static final System.Logger LOG = System.getLogger(Refusals.class.getName());
  private static final long LOG_INTERVAL_NANOS = Duration.ofMinutes(1).toNanos();

  private final Map<Refusal, Counter> counters = new EnumMap<>(Refusal.class);
  private final String listener;
  private final LongSupplier clock;

  /** A counter and the time when its next event is logged. */
  private static final class Counter {
    final LongAdder count = new LongAdder();
    final AtomicLong nextLogNanos;

    Counter(long now) {
      nextLogNanos = new AtomicLong(now);
    }
  }

  /**
   * @param listener its name in the log
   * @param clock nanoseconds from any origin
   */
  public Refusals(String listener, LongSupplier clock) {
    this.listener = listener;
    this.clock = clock;
    for (Refusal refusal : Refusal.values()) {
      counters.put(refusal, new Counter(clock.getAsLong()));
    }
  }

  /** Counts a refusal. */
  public void count(Refusal refusal, ClientKey client) {
    Counter counter = Objects.requireNonNull(counters.get(refusal));
    counter.count.increment();
    long now = clock.getAsLong();
    long due = counter.nextLogNanos.get();
    if (now - due >= 0 && counter.nextLogNanos.compareAndSet(due, now + LOG_INTERVAL_NANOS)) {
      LOG.log(
          level(refusal),
          "{0}: {1}; so far {2}, the last of client {3}. This is logged once a minute at most.",
          listener,
          refusal.event(),
          Long.toString(counter.count.sum()),
          client.text());
    }
  }

  /** Idle connections end every day. */
  private static Level level(Refusal refusal) {
    return refusal == Refusal.IDLE ? Level.DEBUG : Level.WARNING;
  }

  /** How many there were of each kind, in the order of the kinds. */
  public Map<Refusal, Long> counts() {
    Map<Refusal, Long> counts = new LinkedHashMap<>();
    counters.forEach((refusal, counter) -> counts.put(refusal, counter.count.sum()));
    return counts;
  }
}

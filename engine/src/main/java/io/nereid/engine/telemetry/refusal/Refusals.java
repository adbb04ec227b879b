package io.nereid.engine.telemetry.refusal;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * The refusals of a front end, counted by kind; logs the first of each kind in a minute.
 * Thread-safe.
 *
 * @param <K> the kinds
 */
public final class Refusals<K extends Enum<K> & RefusalKind> {
  private final Map<K, RefusalCounter> counters;
  private final String source;

  /**
   * @param source the name of the front end in the log
   * @param clock nanoseconds from any origin
   */
  public Refusals(Class<K> kinds, String source, LongSupplier clock) {
    counters = new EnumMap<>(kinds);
    this.source = source;
    for (K kind : kinds.getEnumConstants()) {
      counters.put(kind, new RefusalCounter(clock));
    }
  }

  /**
   * Counts a refusal.
   *
   * @param client whose connection or request it was, for the log
   */
  public void count(K kind, String client) {
    Objects.requireNonNull(counters.get(kind))
        .count(
            kind.level(),
            () -> "%s: %s, the last of client %s".formatted(source, kind.event(), client));
  }

  /** How many there were of each kind, in the order of the kinds. */
  public Map<K, Long> counts() {
    Map<K, Long> counts = new LinkedHashMap<>();
    counters.forEach((kind, counter) -> counts.put(kind, counter.sum()));
    return counts;
  }
}

package io.nereid.micrometer;

import io.micrometer.core.instrument.Tags;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The counts of all versions, as meters read them one after the other. They are read from the
 * engine again when a meter asks for a count that it has had, or when they are old: so a scrape
 * reads them once, and the same meter never shows an old count twice. Thread-safe; calls nothing of
 * Micrometer's under its monitor.
 */
final class EngineCounts {
  /** How old counts may be: a scrape is over by then, mostly. */
  static final long MAX_AGE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Supplier<List<StatisticsSnapshot>> engine;
  private final LongSupplier clock;

  /** By their tags; guarded by the monitor, as is what follows. */
  private final Map<Tags, VersionCounts> versions = new HashMap<>();

  private long readNanos;

  /** Whether counts are to be read again in any case. */
  private boolean isOld;

  /**
   * @param clock as {@link System#nanoTime}
   */
  EngineCounts(Supplier<List<StatisticsSnapshot>> engine, LongSupplier clock) {
    this.engine = engine;
    this.clock = clock;
  }

  /**
   * Reads all counts, and forgets the versions that have gone; returns those there are. The next
   * meter reads them again.
   */
  synchronized Set<Tags> versions() {
    Set<Tags> present = read();
    versions.keySet().retainAll(present);
    isOld = true;
    return present;
  }

  /** The count of a meter, by its place among all meters of a version. */
  synchronized long count(Tags version, int meter) {
    return take(version, 2 * meter);
  }

  /** The duration of a meter that is a timer. */
  synchronized long nanos(Tags version, int meter) {
    return take(version, 2 * meter + 1);
  }

  /** A version that has gone keeps its counts until its meters are removed. */
  private long take(Tags version, int index) {
    VersionCounts counts = versions.get(version);
    if (counts == null
        || counts.taken.get(index)
        || isOld
        || clock.getAsLong() - readNanos > MAX_AGE_NANOS) {
      read();
      counts = versions.get(version);
    }
    return counts == null ? 0 : counts.take(index);
  }

  private Set<Tags> read() {
    Map<Tags, StatisticsSnapshot> read =
        engine.get().stream().collect(Collectors.toMap(EngineCounts::tags, each -> each));
    readNanos = clock.getAsLong();
    isOld = false;
    versions.values().forEach(each -> each.taken.clear());
    read.forEach((version, counts) ->
        versions.computeIfAbsent(version, tags -> new VersionCounts()).update(counts));
    return read.keySet();
  }

  private static Tags tags(StatisticsSnapshot counts) {
    String name = counts.model().name();
    return Tags.of(
        "model",
        counts.namespace().isEmpty() ? name : counts.namespace() + "/" + name,
        "version",
        Long.toString(counts.model().version()));
  }

  /** The counts of one version: two of each meter. */
  private static final class VersionCounts {
    private final BitSet taken = new BitSet();

    /** Of series that have ended: what the engine counts began anew, as with other metric tags. */
    private final long[] ended = new long[2 * VersionMeter.ALL.size()];

    private long[] counted = new long[2 * VersionMeter.ALL.size()];

    long take(int index) {
      taken.set(index);
      return ended[index] + counted[index];
    }

    void update(StatisticsSnapshot now) {
      long[] before = counted;
      counted = new long[before.length];
      boolean isAnew = false;
      for (int i = 0; i < VersionMeter.ALL.size(); i++) {
        VersionMeter meter = VersionMeter.ALL.get(i);
        counted[2 * i] = meter.count().applyAsLong(now);
        counted[2 * i + 1] = meter.nanos().applyAsLong(now);
        isAnew |= meter.kind() != VersionMeter.Kind.GAUGE && counted[2 * i] < before[2 * i];
      }
      for (int i = 0; isAnew && i < before.length; i++) {
        if (VersionMeter.ALL.get(i / 2).kind() != VersionMeter.Kind.GAUGE) {
          ended[i] += before[i];
        }
      }
    }
  }
}

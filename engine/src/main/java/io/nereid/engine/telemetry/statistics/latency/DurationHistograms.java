package io.nereid.engine.telemetry.statistics.latency;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Counts of durations by phase and {@link DurationBuckets bucket}; written by one thread, read by
 * any. A phase has memory, 1.3 KB, from its first duration on.
 */
@SuppressWarnings("EnumOrdinal") // an index that does not leave this class
public final class DurationHistograms {
  private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);
  private static final VarHandle PHASE = MethodHandles.arrayElementVarHandle(long[][].class);

  private final long[] @Nullable [] phases = new long[LatencyPhase.values().length][];

  /** Begins without a duration. */
  public DurationHistograms() {}

  /** Called by the writing thread only. */
  public void add(LatencyPhase phase, long nanos) {
    long[] counts = counts(phase.ordinal());
    int bucket = DurationBuckets.of(nanos);
    CELL.setOpaque(counts, bucket, counts[bucket] + 1);
  }

  private long[] counts(int phase) {
    long[] counts = phases[phase];
    if (counts == null) {
      counts = new long[DurationBuckets.COUNT];
      PHASE.setRelease(phases, phase, counts);
    }
    return counts;
  }

  /** Adds the counts of {@code other} to these; called by the thread that writes these. */
  public void addAll(DurationHistograms other) {
    for (int phase = 0; phase < phases.length; phase++) {
      var added = (long[]) PHASE.getAcquire(other.phases, phase);
      if (added != null) {
        long[] counts = counts(phase);
        for (int i = 0; i < counts.length; i++) {
          CELL.setOpaque(counts, i, counts[i] + (long) CELL.getOpaque(added, i));
        }
      }
    }
  }

  /** The counts of a phase now; null if there was no duration. */
  public @Nullable DurationDistribution of(LatencyPhase phase, long sumNanos) {
    var counts = (long[]) PHASE.getAcquire(phases, phase.ordinal());
    if (counts == null) {
      return null;
    }
    var copy = new long[counts.length];
    for (int i = 0; i < copy.length; i++) {
      copy[i] = (long) CELL.getOpaque(counts, i);
    }
    return new DurationDistribution(copy, sumNanos);
  }
}

package io.nereid.engine.telemetry.statistics.latency;

import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The latencies of requests, such as those of one instance, in the last minute or a little less;
 * written by one thread, read by any. The minute has five parts; the first write into a new part
 * clears the part of a minute ago.
 */
public final class RecentLatencies {
  static final long PART_NANOS = 12_000_000_000L;

  private static final int PARTS = 5;
  private static final long NO_PART = -1;

  /** One part; {@code number} tells a reader whether the part was replaced while it read. */
  private static final class Part {
    volatile long number = NO_PART;
    final LatencyHistograms phases;

    Part(Set<LatencyPhase> recorded) {
      phases = new LatencyHistograms(recorded);
    }
  }

  private final LongSupplier clock;
  private final Set<LatencyPhase> recorded;
  private final Part[] parts = new Part[PARTS];

  /**
   * @param clock nanoseconds, never negative
   * @param recorded the phases that are recorded
   */
  public RecentLatencies(LongSupplier clock, Set<LatencyPhase> recorded) {
    this.clock = clock;
    this.recorded = recorded;
    for (int i = 0; i < PARTS; i++) {
      parts[i] = new Part(recorded);
    }
  }

  /** Counts one duration in nanoseconds. Called by the writing thread only. */
  public void add(LatencyPhase phase, long nanos) {
    current().phases.add(phase, nanos);
  }

  private Part current() {
    long number = clock.getAsLong() / PART_NANOS;
    Part part = parts[(int) (number % PARTS)];
    if (part.number != number) {
      part.number = NO_PART;
      VarHandle.storeStoreFence();
      part.phases.clear();
      part.number = number;
    }
    return part;
  }

  /**
   * Adds the parts of the last minute to {@code sums}, which has the phases recorded here. Called
   * by any thread.
   */
  public void addTo(LatencyHistograms sums) {
    long now = clock.getAsLong() / PART_NANOS;
    for (Part part : parts) {
      long number = part.number;
      if (number != NO_PART && now - number < PARTS) {
        var copy = new LatencyHistograms(recorded);
        copy.addAll(part.phases);
        VarHandle.loadLoadFence();
        if (part.number == number) { // otherwise it is being replaced
          sums.addAll(copy);
        }
      }
    }
  }
}

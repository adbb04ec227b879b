package io.nereid.engine.telemetry.statistics.latency;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;

/** A {@link LatencyHistogram} for each recorded phase; written by one thread, read by any. */
public final class LatencyHistograms {
  private static final int NANOS_PER_MICRO = 1_000;

  private final Map<LatencyPhase, LatencyHistogram> phases = new EnumMap<>(LatencyPhase.class);

  public LatencyHistograms(Set<LatencyPhase> recorded) {
    for (LatencyPhase phase : recorded) {
      phases.put(phase, new LatencyHistogram());
    }
  }

  private LatencyHistogram of(LatencyPhase phase) {
    return Objects.requireNonNull(phases.get(phase));
  }

  /**
   * A quantile of a phase in microseconds, exact to 0.8 %; empty if there was no request.
   *
   * @param share from 0 to 1
   */
  public OptionalLong micros(LatencyPhase phase, double share) {
    return of(phase).quantile(share);
  }

  /** Called by the writing thread only. */
  public void add(LatencyPhase phase, long nanos) {
    of(phase).add(nanos / NANOS_PER_MICRO);
  }

  /** Called by the writing thread only. */
  void clear() {
    phases.values().forEach(LatencyHistogram::clear);
  }

  /**
   * Adds the counts of {@code other}, whose phases are recorded here too; called by the thread that
   * writes these.
   */
  public void addAll(LatencyHistograms other) {
    other.phases.forEach((phase, histogram) -> of(phase).addAll(histogram));
  }
}

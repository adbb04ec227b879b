package io.nereid.server.telemetry.statistics;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/** A {@link LatencyHistogram} for each phase; written by one thread, read by any. */
final class PhaseHistograms {
  private static final int NANOS_PER_MICRO = 1_000;

  private final Map<LatencyPhase, LatencyHistogram> phases = new EnumMap<>(LatencyPhase.class);

  PhaseHistograms() {
    for (LatencyPhase phase : LatencyPhase.values()) {
      phases.put(phase, new LatencyHistogram());
    }
  }

  LatencyHistogram of(LatencyPhase phase) {
    return Objects.requireNonNull(phases.get(phase));
  }

  /** Counts a duration; by the one thread that writes. */
  void add(LatencyPhase phase, long nanos) {
    of(phase).add(nanos / NANOS_PER_MICRO);
  }

  /** By the one thread that writes. */
  void clear() {
    phases.values().forEach(LatencyHistogram::clear);
  }

  /** Adds the other's numbers to these; by the one thread that writes these. */
  void addAll(PhaseHistograms other) {
    phases.forEach((phase, histogram) -> histogram.addAll(other.of(phase)));
  }
}

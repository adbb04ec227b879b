package io.nereid.server.scheduling.ensemble;

import io.nereid.server.scheduling.Clock;
import io.nereid.server.scheduling.ensemble.graph.EnsembleGraph;
import java.util.List;

/**
 * What the requests of an ensemble share.
 *
 * @param limiters by step
 * @param clock by which the steps' requests arrive
 */
record Ensemble(
    EnsembleGraph graph,
    EnsembleSignature signature,
    List<StepLimiter> limiters,
    Clock clock,
    EnsembleStatistics statistics) {
  Ensemble {
    limiters = List.copyOf(limiters);
  }

  /** Whether a step ever waits for others. */
  boolean isLimited() {
    return limiters.stream().anyMatch(StepLimiter::isLimited);
  }
}

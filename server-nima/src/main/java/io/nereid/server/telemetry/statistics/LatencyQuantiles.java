package io.nereid.server.telemetry.statistics;

import java.util.OptionalLong;

/** What the requests that succeeded in the last minute took. A value. */
public final class LatencyQuantiles {
  private final PhaseHistograms phases;

  /**
   * @param phases not written any more
   */
  LatencyQuantiles(PhaseHistograms phases) {
    this.phases = phases;
  }

  /**
   * The microseconds that {@code share} of the requests did not take longer than, to 0.8 %; empty
   * if there was no request.
   *
   * @param share from 0 to 1
   */
  public OptionalLong micros(LatencyPhase phase, double share) {
    return phases.of(phase).quantile(share);
  }
}

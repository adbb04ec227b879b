package io.nereid.server.execution;

import io.nereid.request.ModelKey;
import io.nereid.server.telemetry.statistics.ModelStatistics;
import java.util.Map;

/** Meters for tests of something else. */
final class Meters {
  private Meters() {}

  /**
   * A meter, not of an execution yet, by whose clock nothing takes time, and whose figures nobody
   * sees.
   */
  static ExecutionMeter idle() {
    var statistics = new ModelStatistics(new ModelKey("m", 1), Map.of());
    return new ExecutionMeter(() -> 0, statistics.addInstance());
  }
}

package io.nereid.engine.scheduling.ensemble;

import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.scheduling.Clock;
import io.nereid.engine.scheduling.policy.PredictedWait;
import io.nereid.engine.scheduling.policy.WaitLimit;
import io.nereid.engine.telemetry.statistics.FailureReason;
import io.nereid.engine.telemetry.statistics.InstanceStatistics;
import io.nereid.engine.telemetry.statistics.RefusalReason;
import org.jspecify.annotations.Nullable;

/**
 * The statistics of an ensemble, per request. The compute time of a request is the sum of its
 * steps' times. May be used by any thread.
 */
final class EnsembleStatistics {
  /**
   * How long the execution of one step took, or of several together, by phase.
   *
   * @param inputNanos gathering inputs
   * @param inferNanos the model itself
   * @param outputNanos storing outputs
   */
  record ComputeTimes(long inputNanos, long inferNanos, long outputNanos) {
    /** The times of a step that was not executed. */
    static final ComputeTimes NONE = new ComputeTimes(0, 0, 0);

    long nanos() {
      return inputNanos + inferNanos + outputNanos;
    }

    ComputeTimes plus(ComputeTimes other) {
      return new ComputeTimes(
          inputNanos + other.inputNanos,
          inferNanos + other.inferNanos,
          outputNanos + other.outputNanos);
    }
  }

  private final InstanceStatistics statistics;
  private final Clock clock;
  private final EnsemblePace pace = new EnsemblePace();

  EnsembleStatistics(InstanceStatistics statistics, Clock clock) {
    this.statistics = statistics;
    this.clock = clock;
  }

  synchronized void began() {
    statistics.began(1);
    pace.began(clock.nanos());
  }

  /**
   * Returns the refusal of a request by the wait that is predicted for it, and counts it; null to
   * admit the request.
   */
  synchronized @Nullable PredictedWait refusal(PendingRequest request, WaitLimit limit) {
    PredictedWait refusal =
        limit.refusal(
            request,
            0, // the timeout is its steps'
            pace.waitNanos(),
            pace.executionNanos(),
            pace.inFlight(),
            clock.nanos());
    if (refusal != null) {
      statistics.refused(RefusalReason.PREDICTED_WAIT);
    }
    return refusal;
  }

  /** Counts a successful request. Its queue time is 0, since only its steps wait. */
  synchronized void succeeded(PendingRequest request, ComputeTimes times) {
    statistics.ended(1);
    pace.succeeded(times.nanos(), clock.nanos());
    statistics.executed(
        request.rows(),
        times.inputNanos(),
        times.inferNanos(),
        times.outputNanos(),
        System.currentTimeMillis());
    statistics.succeeded(
        request.rows(),
        clock.nanos() - request.arrivalNanos(),
        0,
        times.inputNanos(),
        times.inferNanos(),
        times.outputNanos());
  }

  /** Counts the first response of a request, or its failure; called before each is sent. */
  void responding(PendingRequest request) {
    if (statistics.wantsFirstResponses()) {
      countFirst(request);
    }
  }

  private synchronized void countFirst(PendingRequest request) {
    if (!request.promise().isDecided() && request.firstResponse()) {
      statistics.firstResponded(clock.nanos() - request.arrivalNanos());
    }
  }

  synchronized void failed(PendingRequest request) {
    statistics.ended(1);
    pace.failed();
    statistics.failed(FailureReason.OTHER, clock.nanos() - request.arrivalNanos());
  }
}

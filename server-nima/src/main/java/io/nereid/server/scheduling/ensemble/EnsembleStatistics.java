package io.nereid.server.scheduling.ensemble;

import io.nereid.server.request.PendingRequest;
import io.nereid.server.scheduling.Clock;
import io.nereid.server.telemetry.statistics.FailureReason;
import io.nereid.server.telemetry.statistics.InstanceStatistics;

/**
 * What an ensemble has done, counted a request: how long it computed is the sum of its steps'
 * times. From any thread.
 */
final class EnsembleStatistics {
  private final InstanceStatistics statistics;
  private final Clock clock;

  /** Requests that have begun and not ended. */
  private int running;

  EnsembleStatistics(InstanceStatistics statistics, Clock clock) {
    this.statistics = statistics;
    this.clock = clock;
  }

  synchronized void began() {
    running++;
    statistics.executing(running);
  }

  /** Counts a request that was answered; it did not wait, since its steps do that. */
  synchronized void succeeded(PendingRequest request, ComputeTimes times) {
    ended();
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

  /** A response to a request is about to leave, or its failure: the first one is counted. */
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

  /** Counts a request that failed, for whatever reason one of its steps had. */
  synchronized void failed(PendingRequest request) {
    ended();
    statistics.failed(FailureReason.OTHER, clock.nanos() - request.arrivalNanos());
  }

  private void ended() {
    running--;
    statistics.executing(running);
  }
}

package io.nereid.engine.telemetry.statistics;

import io.nereid.engine.telemetry.statistics.latency.LatencyRecording;

/** Statistics that several threads write: of requests that end outside an execution. */
final class SharedStatistics extends InstanceStatistics {
  SharedStatistics(LatencyRecording recording) {
    super(recording);
  }

  @Override
  public synchronized void began(int requests) {
    super.began(requests);
  }

  @Override
  public synchronized void ended(int requests) {
    super.ended(requests);
  }

  @Override
  public synchronized void succeeded(
      long rows,
      long requestNanos,
      long queueNanos,
      long inputNanos,
      long inferNanos,
      long outputNanos) {
    super.succeeded(rows, requestNanos, queueNanos, inputNanos, inferNanos, outputNanos);
  }

  @Override
  public synchronized void firstResponded(long nanos) {
    super.firstResponded(nanos);
  }

  @Override
  public synchronized void responded(
      int index, ResponseOutcome outcome, long inferNanos, long outputNanos) {
    super.responded(index, outcome, inferNanos, outputNanos);
  }

  @Override
  public synchronized void failed(FailureReason reason, long requestNanos) {
    super.failed(reason, requestNanos);
  }
}

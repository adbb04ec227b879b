package io.nereid.server.execution;

import io.nereid.server.request.PendingRequest;
import io.nereid.server.telemetry.statistics.FailureReason;
import io.nereid.server.telemetry.statistics.InstanceStatistics;
import io.nereid.server.telemetry.statistics.ResponseOutcome;
import java.util.function.LongSupplier;

/**
 * Measures an execution: gathering inputs, the model itself, delivering outputs; and counts it and
 * its requests at its end. There is one an instance; {@link #begin} has it measure another
 * execution. By the instance's thread.
 */
final class ExecutionMeter {
  private static final long NOT_YET = -1;

  private final LongSupplier clock;
  private final InstanceStatistics statistics;
  private long start;
  private long computeStart;
  private long computeEnd;
  private boolean returned;

  /** When the first request was told its times after the backend had returned. */
  private long told;

  private long end;

  /**
   * @param clock nanoseconds, never negative, of the clock by which requests arrive
   */
  ExecutionMeter(LongSupplier clock, InstanceStatistics statistics) {
    this.clock = clock;
    this.statistics = statistics;
  }

  /** An execution starts, of that many requests. */
  void begin(int requests) {
    start = clock.getAsLong();
    computeStart = NOT_YET;
    computeEnd = NOT_YET;
    returned = false;
    told = NOT_YET;
    end = NOT_YET;
    statistics.executing(requests);
  }

  long start() {
    return start;
  }

  long now() {
    return clock.getAsLong();
  }

  /** The model starts; the first time counts. */
  void computeStarted() {
    if (computeStart == NOT_YET) {
      computeStart = clock.getAsLong();
    }
  }

  /** The model has ended; the last time counts. */
  void computeEnded() {
    computeEnd = clock.getAsLong();
  }

  /** When the model had ended; once the backend has returned. */
  long computeEnd() {
    return computeEnd;
  }

  /** The backend has returned: what it has not said is counted as the model's. */
  void executed() {
    returned = true;
    told = NOT_YET;
    if (computeStart == NOT_YET) {
      computeStart = start;
    }
    if (computeEnd < computeStart) {
      computeEnd = clock.getAsLong();
    }
  }

  /**
   * Counts a response of a decoupled model that has been sent just now.
   *
   * @param index among the responses of its request
   * @param begin when the response before it was sent, or the start of the execution
   * @param outputStart when its outputs were complete
   * @return now
   */
  long responded(int index, ResponseOutcome outcome, long begin, long outputStart) {
    long now = clock.getAsLong();
    statistics.responded(index, outcome, outputStart - begin, now - outputStart);
    return now;
  }

  /** A response to a request is about to leave, or its failure: the first one is counted. */
  void responding(PendingRequest request) {
    if (statistics.wantsFirstResponses()
        && !request.promise().isDecided()
        && request.firstResponse()) {
      statistics.firstResponded(clock.getAsLong() - request.arrivalNanos());
    }
  }

  /**
   * Tells a request what the execution has taken up to now. Once the backend has returned that is
   * the same for every request of the batch.
   */
  void tell(PendingRequest request) {
    if (!returned || told == NOT_YET) {
      told = clock.getAsLong();
    }
    long modelStart = computeStart == NOT_YET ? start : computeStart;
    long modelEnd = computeEnd < modelStart ? told : computeEnd;
    request.promise().computed(modelStart - start, modelEnd - modelStart, told - modelEnd);
  }

  /** Every request has its outcome: the execution has ended. */
  void delivered() {
    end = clock.getAsLong();
    statistics.executing(0);
  }

  /** Counts a request that succeeded; at the end. */
  void succeeded(PendingRequest request) {
    statistics.succeeded(
        request.rows(),
        end - request.arrivalNanos(),
        start - request.arrivalNanos(),
        computeStart - start,
        computeEnd - computeStart,
        end - computeEnd);
  }

  /** Counts a request that failed; at the end. */
  void failed(PendingRequest request, FailureReason reason) {
    statistics.failed(reason, end - request.arrivalNanos());
  }

  /** Counts the execution itself, of which some request succeeded; last. */
  void count(long rows) {
    statistics.executed(
        rows,
        computeStart - start,
        computeEnd - computeStart,
        end - computeEnd,
        System.currentTimeMillis());
  }
}

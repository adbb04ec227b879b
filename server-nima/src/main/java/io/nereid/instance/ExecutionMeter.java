package io.nereid.instance;

import io.nereid.exchange.ComputeTimes;
import io.nereid.exchange.PendingRequest;
import io.nereid.statistics.FailureReason;
import io.nereid.statistics.InstanceStatistics;
import io.nereid.statistics.ResponseOutcome;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Measures one execution: gathering inputs, the model itself, delivering outputs; and counts it and
 * its requests at its end. By the instance's thread.
 */
final class ExecutionMeter {
  private static final long NOT_YET = -1;

  private final LongSupplier clock;
  private final InstanceStatistics statistics;
  private final long start;
  private long computeStart = NOT_YET;
  private long computeEnd = NOT_YET;
  private long end = NOT_YET;
  private boolean returned;
  private @Nullable ComputeTimes times;

  /**
   * An execution that starts now.
   *
   * @param clock nanoseconds, never negative, of the clock by which requests arrive
   * @param requests of the batch
   */
  ExecutionMeter(LongSupplier clock, InstanceStatistics statistics, int requests) {
    this.clock = clock;
    this.statistics = statistics;
    this.start = clock.getAsLong();
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

  /** The backend has returned: what it has not said is counted as the model's. */
  void executed() {
    returned = true;
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

  /** What the execution has taken up to now; once the backend has returned, up to then. */
  ComputeTimes soFar() {
    if (times != null) {
      return times;
    }
    ComputeTimes soFar = measured();
    if (returned) {
      times = soFar; // the same for every request of the batch
    }
    return soFar;
  }

  private ComputeTimes measured() {
    long now = clock.getAsLong();
    long modelStart = computeStart == NOT_YET ? start : computeStart;
    long modelEnd = computeEnd < modelStart ? now : computeEnd;
    return new ComputeTimes(modelStart - start, modelEnd - modelStart, now - modelEnd);
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

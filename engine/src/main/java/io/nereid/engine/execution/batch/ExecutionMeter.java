package io.nereid.engine.execution.batch;

import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.telemetry.statistics.FailureReason;
import io.nereid.engine.telemetry.statistics.InstanceStatistics;
import io.nereid.engine.telemetry.statistics.ResponseOutcome;
import io.nereid.engine.telemetry.trace.RequestTrace;
import java.util.function.LongSupplier;

/**
 * The clock of an execution: measures the phases of gathering inputs, computing and delivering
 * outputs, and adds them to the statistics at the end. Reused for every execution; an instance has
 * one for each batch that it can execute at the same time. Used by the instance's thread.
 */
public final class ExecutionMeter {
  /** The start of no execution: later than any. */
  public static final long IDLE = Long.MAX_VALUE;

  private static final long NOT_YET = -1;

  private final LongSupplier clock;
  private final InstanceStatistics statistics;
  private int requests;
  private long start;
  private long computeStart;
  private long computeEnd;
  private boolean returned;

  /** The end of the first request that ended after the backend returned. */
  private long reported;

  private long end;

  /**
   * @param clock nanoseconds, never negative; the clock of arrival times
   */
  public ExecutionMeter(LongSupplier clock, InstanceStatistics statistics) {
    this.clock = clock;
    this.statistics = statistics;
  }

  /** Begins an execution of that many requests. */
  void begin(int newRequests) {
    start = clock.getAsLong();
    requests = newRequests;
    computeStart = NOT_YET;
    computeEnd = NOT_YET;
    returned = false;
    reported = NOT_YET;
    end = NOT_YET;
    statistics.began(requests);
  }

  /**
   * A meter of one request that ends later than this execution, with its start.
   *
   * @param shared where the request is counted
   */
  ExecutionMeter detached(InstanceStatistics shared) {
    var later = new ExecutionMeter(clock, shared);
    later.start = start;
    later.requests = 1;
    later.computeStart = computeStart;
    later.computeEnd = NOT_YET;
    later.reported = NOT_YET;
    later.end = NOT_YET;
    return later;
  }

  /** Counts the request of this meter as executing, until it is {@link #delivered}. */
  void detachedBegins() {
    statistics.began(requests);
  }

  public long start() {
    return start;
  }

  /**
   * The start of the execution under way; {@link #IDLE} if there is none. A snapshot without
   * synchronization, from any thread: only if it is the same twice, it is so.
   */
  public long executingSince() {
    return end == NOT_YET ? start : IDLE;
  }

  public long now() {
    return clock.getAsLong();
  }

  /** Records the start of the computation; the first call counts. */
  void computeStarted() {
    if (computeStart == NOT_YET) {
      computeStart = clock.getAsLong();
    }
  }

  /** Records the end of the computation; the last call counts. */
  void computeEnded() {
    computeEnd = clock.getAsLong();
  }

  /** Sets start and end of the computation, from durations up to now. */
  void computed(long inferNanos, long outputNanos) {
    computeEnd = before(clock.getAsLong(), outputNanos);
    computeStart = before(computeEnd, inferNanos);
  }

  /** The time that far before {@code end}, as far as the execution ran then. */
  private long before(long end, long nanos) {
    return end - Math.clamp(nanos, 0L, end - start);
  }

  /** The end of the computation; valid after {@link #executed}. */
  public long computeEnd() {
    return computeEnd;
  }

  /** Records that the backend returned; times that it has not reported count as computation. */
  void executed() {
    returned = true;
    reported = NOT_YET;
    if (computeStart == NOT_YET) {
      computeStart = start;
    }
    if (computeEnd < computeStart) {
      computeEnd = clock.getAsLong();
    }
  }

  /**
   * Counts a response of a decoupled model that was sent just now.
   *
   * @param index the number of responses to the request before it
   * @param begin the time of the response before it, or the start of the execution
   * @param outputStart the time at which its outputs were complete
   * @return the current time
   */
  long responded(int index, ResponseOutcome outcome, long begin, long outputStart) {
    long now = clock.getAsLong();
    statistics.responded(index, outcome, outputStart - begin, now - outputStart);
    return now;
  }

  /** Counts the first response to a request, or its failure; called just before it is sent. */
  void responding(PendingRequest request) {
    if (statistics.wantsFirstResponses()
        && !request.promise().isDecided()
        && request.firstResponse()) {
      statistics.firstResponded(clock.getAsLong() - request.arrivalNanos());
    }
  }

  /**
   * Sets the computation times of a request that ends now. They are the same for all requests that
   * end after the backend returned.
   */
  void reportTimes(PendingRequest request) {
    if (!returned || reported == NOT_YET) {
      reported = clock.getAsLong();
    }
    long modelStart = computeStart == NOT_YET ? start : computeStart;
    long modelEnd = computeEnd < modelStart ? reported : computeEnd;
    request
        .promise()
        .computed(
            start - request.arrivalNanos(),
            modelStart - start,
            modelEnd - modelStart,
            reported - modelEnd);
  }

  /** Records the execution of a request that ends now, as {@link #reportTimes} reports it. */
  void trace(RequestTrace trace) {
    long modelStart = computeStart == NOT_YET ? start : computeStart;
    long now = clock.getAsLong();
    trace.computed(start, modelStart, computeEnd < modelStart ? now : computeEnd, now);
  }

  /** Records the end of the execution: every request has its outcome. */
  void delivered() {
    end = clock.getAsLong();
    statistics.ended(requests);
  }

  /** Counts a request that succeeded; after {@link #delivered}. */
  void succeeded(PendingRequest request) {
    statistics.succeeded(
        request.rows(),
        end - request.arrivalNanos(),
        start - request.arrivalNanos(),
        computeStart - start,
        computeEnd - computeStart,
        end - computeEnd);
  }

  /** Counts a request that failed; after {@link #delivered}. */
  void failed(PendingRequest request, FailureReason reason) {
    statistics.failed(reason, end - request.arrivalNanos());
  }

  /** Counts the execution, of which a request succeeded. */
  void count(long rows) {
    statistics.executed(
        rows,
        computeStart - start,
        computeEnd - computeStart,
        end - computeEnd,
        System.currentTimeMillis());
  }
}

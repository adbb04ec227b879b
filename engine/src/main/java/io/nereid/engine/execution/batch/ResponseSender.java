package io.nereid.engine.execution.batch;

import io.nereid.engine.execution.sequence.PaddingRequests;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.RequestErrors;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.telemetry.statistics.ResponseOutcome;
import io.nereid.error.InferenceException;
import org.jspecify.annotations.Nullable;

/**
 * Sends the responses to one request after the other, and measures them. Does not throw: neither
 * what measures nor who receives a response concerns the other requests of an execution.
 */
final class ResponseSender {
  private static final System.Logger LOG = System.getLogger(ResponseSender.class.getName());

  private final boolean decoupled;
  private final ExecutionMeter meter;
  private PendingRequest request = PaddingRequests.EMPTY;

  /** The number of responses sent, and the time of the last one. */
  private int responses;

  private long lastResponse;

  ResponseSender(boolean decoupled, ExecutionMeter meter) {
    this.decoupled = decoupled;
    this.meter = meter;
  }

  /** The responses that follow are to that request, whose execution has just begun. */
  void begin(PendingRequest newRequest) {
    request = newRequest;
    responses = 0;
    lastResponse = meter.start();
  }

  /** Goes on with the request of another, which sends nothing more. */
  void continueFrom(ResponseSender other) {
    request = other.request;
    responses = other.responses;
    lastResponse = other.lastResponse;
  }

  /** Drops the reference to the request. */
  void forget() {
    request = PaddingRequests.EMPTY;
  }

  /**
   * Sends a response, a failure, or just the end; waits for room behind a response that others
   * follow.
   */
  void send(
      @Nullable InferenceResponse response, @Nullable InferenceException failure, boolean last) {
    boolean isAnswer = response != null || failure != null;
    measure(isAnswer, last);
    if (!decoupled) {
      deliver(response, failure, last);
      return;
    }
    ResponseOutcome outcome = outcome(response, failure);
    long outputStart = meter.now();
    deliver(response, failure, last);
    lastResponse = meter.responded(responses, outcome, lastResponse, outputStart);
    responses++;
    if (!last) {
      request.promise().awaitRoom();
    }
  }

  /** Measures what is sent now, which does not depend on that. */
  private void measure(boolean isAnswer, boolean last) {
    try {
      if (last) {
        meter.reportTimes(request);
      }
      if (isAnswer) {
        meter.responding(request);
      }
    } catch (Throwable thrown) { // also an Error: the response must be sent
      LOG.log(
          System.Logger.Level.ERROR,
          RequestErrors.prefix(request.id()) + "a response was not measured",
          thrown);
    }
  }

  private ResponseOutcome outcome(
      @Nullable InferenceResponse response, @Nullable InferenceException failure) {
    if (request.promise().isDecided()) {
      return ResponseOutcome.CANCEL;
    }
    if (failure != null) {
      return ResponseOutcome.FAIL;
    }
    return response == null || response.outputs().isEmpty()
        ? ResponseOutcome.EMPTY
        : ResponseOutcome.SUCCESS;
  }

  private void deliver(
      @Nullable InferenceResponse response, @Nullable InferenceException failure, boolean last) {
    ResponsePromise promise = request.promise();
    try {
      if (failure != null) {
        promise.fail(failure.withoutRetryAfter());
      } else if (response == null) {
        promise.complete();
      } else if (last) {
        promise.answer(response);
      } else {
        promise.next(response);
      }
    } catch (Throwable thrown) { // also an Error: the other requests are not concerned
      LOG.log(
          System.Logger.Level.ERROR,
          RequestErrors.prefix(request.id()) + "a response was not delivered",
          thrown);
    }
  }
}

package io.nereid.engine.execution;

import io.nereid.engine.execution.output.DeclaredOutputs;
import io.nereid.engine.execution.sequence.PaddingRequests;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.RequestErrors;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.telemetry.statistics.FailureReason;
import io.nereid.engine.telemetry.statistics.ResponseOutcome;
import io.nereid.engine.telemetry.trace.RequestTrace;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.Parameter;
import io.nereid.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One request of an execution: the content of its next response, and whether it has ended. A
 * request of a decoupled model gets its responses and its end when the backend sends them. Any
 * other request gets its single response when it is sent, or at the end of the execution, after its
 * inputs were freed.
 *
 * <p>Reused for every execution: {@link #begin} assigns a request, {@link #end} ends it, {@link
 * #forget} drops the reference to it.
 */
final class ResponseBuilder {
  private static final System.Logger LOG = System.getLogger(ResponseBuilder.class.getName());

  private final DeclaredOutputs declared;
  private final boolean decoupled;
  private final ExecutionMeter meter;
  private PendingRequest request = PaddingRequests.EMPTY;

  /** The content of the next response; immutable lists while there is at most one element. */
  private List<Tensor> outputs = List.of();

  private List<Runnable> releases = List.of();
  private @Nullable Map<String, Parameter> parameters;
  private boolean ended;

  /** Whether the server has failed the request, of which the backend need not know. */
  private boolean refused;

  /** Whether the request runs again instead of ending in this execution. */
  private boolean rescheduled;

  /** What ends the request in place of this one; null unless the request is detached. */
  private @Nullable DetachedResponder detached;

  /** The number of responses sent, and the time of the last one. */
  private int responses;

  private long lastResponse;

  /** Why the request has failed, for the statistics; null if it has not. */
  private @Nullable FailureReason failed;

  /** The failure to respond with at the end of the execution, if any. */
  private @Nullable InferenceException failure;

  ResponseBuilder(DeclaredOutputs declared, boolean decoupled, ExecutionMeter meter) {
    this.declared = declared;
    this.decoupled = decoupled;
    this.meter = meter;
  }

  /** Assigns a request in an execution that has just begun. */
  void begin(PendingRequest newRequest) {
    request = newRequest;
    ended = false;
    refused = false;
    rescheduled = false;
    detached = null;
    responses = 0;
    lastResponse = meter.start();
    failed = null;
    failure = null;
  }

  /** Drops the reference to the request, after it was counted. */
  void forget() {
    request = PaddingRequests.EMPTY;
    failure = null;
    detached = null;
  }

  /**
   * Passes the request on, with its unsent content, to a builder that ends it later. This one has
   * ended.
   *
   * @param later measures it
   */
  ResponseBuilder detach(ExecutionMeter later) {
    boolean isRefused = !isOpen();
    var builder = new ResponseBuilder(declared, decoupled, later);
    builder.begin(request);
    builder.ended = ended;
    builder.refused = isRefused;
    builder.failed = failed;
    builder.failure = failure;
    builder.outputs = outputs;
    builder.releases = releases;
    builder.parameters = parameters;
    builder.responses = responses;
    builder.lastResponse = lastResponse;
    clear();
    failed = null;
    failure = null;
    ended = true;
    return builder;
  }

  /** Sets what ends the request, which is passed on. */
  void setDetached(DetachedResponder responder) {
    detached = responder;
  }

  /**
   * Fails if the request is detached.
   *
   * @throws IllegalStateException if it is
   */
  void requireAttached() {
    if (detached != null) {
      throw new IllegalStateException(
          "model '%s' used request '%s' of a batch, which is detached from it"
              .formatted(request.request().model().name(), request.request().id()));
    }
  }

  boolean wants(String output) {
    return !ended && request.request().outputs().contains(output);
  }

  boolean hasEnded() {
    return ended;
  }

  boolean hasFailed() {
    return failed != null;
  }

  boolean isRescheduled() {
    return rescheduled;
  }

  /** The client's id of the request; empty if it sent none. */
  String requestId() {
    return request.id();
  }

  long rows() {
    return request.rows();
  }

  /** Whether the next response has that output. */
  boolean holds(String output) {
    for (int i = 0; i < outputs.size(); i++) {
      if (outputs.get(i).name().equals(output)) {
        return true;
      }
    }
    return false;
  }

  /** Adds an output; {@code release} is run when the response is closed or dropped. */
  void add(Tensor output, Runnable release) {
    outputs = with(outputs, output);
    keep(release);
  }

  /** Adds memory that is freed with the response but is no output of it. */
  void keep(Runnable release) {
    releases = with(releases, release);
  }

  /** The list with one more element; most responses have a single one. */
  private static <T> List<T> with(List<T> list, T element) {
    if (list.isEmpty()) {
      return List.of(element);
    }
    List<T> longer = list.size() == 1 ? new ArrayList<>(list) : list;
    longer.add(element);
    return longer;
  }

  /** Adds a parameter to the next response; has no effect after the end. */
  void parameter(String name, Parameter value) {
    if (ended) {
      return;
    }
    if (parameters == null) {
      parameters = new HashMap<>();
    }
    parameters.put(name, value);
  }

  /** What is recorded of the request; null if it is not traced. */
  @Nullable RequestTrace trace() {
    return request.trace();
  }

  /** Sends the response; the only one unless the model is decoupled. */
  void send() {
    if (isOpen() && checkContent()) {
      ended = !decoupled;
      if (request.trace() != null) {
        request.trace().responded(outputs);
      }
      respond(collected(), ended);
    }
  }

  /** Ends the request without a further response; drops the unsent content. */
  void finish() {
    if (isOpen()) {
      ended = true;
      drop();
      respond(null, true);
    }
  }

  /**
   * Fails the request unless it has ended; drops the unsent content, whose memory the backend may
   * write until {@link #end}. The failure is sent at once if the model is decoupled, otherwise by
   * {@link #end}, after the inputs are freed.
   */
  void fail(InferenceException reason) {
    if (!ended) {
      ended = true;
      rescheduled = false;
      failure = reason;
      failed =
          reason.code() == StatusCode.CANCELLED ? FailureReason.CANCELED : FailureReason.BACKEND;
      outputs = List.of();
      parameters = null;
      if (decoupled) {
        respond(null, true);
        failure = null;
      }
    }
  }

  /**
   * Fails the request unless it has ended, because of what the backend gave for it. Later calls of
   * the backend for this request have no effect.
   */
  void refuse(InferenceException wrong) {
    if (!ended) {
      refused = true;
      fail(wrong);
    }
  }

  /**
   * Checks the outputs of the next response, which are complete, and refuses the request if one is
   * wrong; returns whether all are right.
   */
  boolean checkContent() {
    if (rescheduled) {
      return true; // nothing is sent
    }
    for (int i = 0; i < outputs.size(); i++) {
      InferenceException wrong = declared.checkContent(outputs.get(i));
      if (wrong != null) {
        refuse(wrong);
        return false;
      }
    }
    return true;
  }

  /** Has the request run again; its unsent content is dropped at the end of the execution. */
  void reschedule() {
    rescheduled = isOpen();
  }

  /**
   * Ends the request: frees its inputs and what it keeps, then responds unless that was done
   * before. So the memory is free once the client has its response. Called once.
   */
  void end() {
    if (detached != null) {
      detached.executed();
      return;
    }
    if (rescheduled) {
      drop();
      return;
    }
    try {
      if (ended) {
        drop();
      }
      if (request.trace() != null) {
        trace(request.trace());
      }
      request.close();
    } finally {
      if (failure != null) {
        respond(null, true);
      } else if (!ended && decoupled && outputs.isEmpty() && parameters == null) {
        finish();
      } else if (!ended) {
        ended = true;
        respond(collected(), true);
      }
    }
  }

  /** Fails the request, whose end has failed, unless it has an outcome. */
  void failEnd(InferenceException reason) {
    drop();
    request.promise().fail(reason);
  }

  /** Records the execution, and the outputs that are sent at its end. */
  private void trace(RequestTrace trace) {
    meter.trace(trace);
    if (!ended) {
      trace.responded(outputs);
    }
  }

  /** Drops the unsent content. */
  void drop() {
    if (!releases.isEmpty()) {
      List<Runnable> dropped = releases;
      clear();
      InferenceResponse.release(dropped);
    } else {
      clear();
    }
  }

  /** Counts the request; returns whether it has succeeded. Called after {@link #end}. */
  boolean count() {
    if (rescheduled || detached != null) {
      return true; // the request itself is counted in its last execution, or at its end
    }
    if (failed != null) {
      meter.failed(request, failed);
      return false;
    }
    meter.succeeded(request);
    return true;
  }

  /**
   * Whether the request can be responded to; false if it was refused.
   *
   * @throws IllegalStateException if the backend has ended it
   */
  private boolean isOpen() {
    if (refused) {
      return false;
    }
    if (ended || rescheduled) {
      throw new IllegalStateException(
          "model '%s' used request '%s' after its end"
              .formatted(request.request().model().name(), request.request().id()));
    }
    return true;
  }

  private InferenceResponse collected() {
    if (outputs.isEmpty() && !decoupled && !request.promise().isDecided()) {
      declared.warnOfNone(request.id(), request.request().outputs());
    }
    var response =
        new InferenceResponse(
            request.request().model(),
            request.request().id(),
            parameters == null ? Map.of() : Map.copyOf(parameters),
            outputs,
            releases);
    clear(); // the response owns the lists now
    return response;
  }

  private void clear() {
    outputs = List.of();
    releases = List.of();
    parameters = null;
  }

  /** Sends a response, the failure if there is one, or just the end. */
  private void respond(@Nullable InferenceResponse response, boolean last) {
    measure(response, last);
    if (!decoupled) {
      deliver(response, last);
      return;
    }
    ResponseOutcome outcome = outcome(response);
    long outputStart = meter.now();
    deliver(response, last);
    lastResponse = meter.responded(responses, outcome, lastResponse, outputStart);
    responses++;
    if (!last) {
      request.promise().awaitRoom();
    }
  }

  /** Measures what is sent now, which does not depend on that. */
  private void measure(@Nullable InferenceResponse response, boolean last) {
    try {
      if (last) {
        meter.reportTimes(request);
      }
      if (response != null || failure != null) {
        meter.responding(request);
      }
    } catch (Throwable thrown) { // also an Error: the response must be sent
      LOG.log(
          System.Logger.Level.ERROR,
          RequestErrors.prefix(requestId()) + "a response was not measured",
          thrown);
    }
  }

  private ResponseOutcome outcome(@Nullable InferenceResponse response) {
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

  private void deliver(@Nullable InferenceResponse response, boolean last) {
    ResponsePromise promise = request.promise();
    try {
      if (failure != null) {
        promise.fail(failure);
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
          RequestErrors.prefix(requestId()) + "a response was not delivered",
          thrown);
    }
  }
}

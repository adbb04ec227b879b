package io.nereid.engine.execution.batch;

import io.nereid.engine.execution.output.DeclaredOutputs;
import io.nereid.engine.execution.sequence.PaddingRequests;
import io.nereid.engine.request.Deliveries;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.telemetry.statistics.FailureReason;
import io.nereid.engine.telemetry.trace.RequestTrace;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.Parameter;
import io.nereid.tensor.Tensor;
import java.util.List;
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
  private final DeclaredOutputs declared;
  private final boolean decoupled;
  private final ExecutionMeter meter;
  private PendingRequest request = PaddingRequests.EMPTY;

  private final ResponseContent content = new ResponseContent();
  private final ResponseSender sender;
  private boolean ended;

  /** Whether the server has failed the request, of which the backend need not know. */
  private boolean refused;

  /** Whether the request runs again instead of ending in this execution. */
  private boolean rescheduled;

  /** What ends the request in place of this one; null unless the request is detached. */
  private @Nullable DetachedResponder detached;

  /** Where calls of other code wait for the end of a lock; null if they are made at once. */
  private @Nullable Deliveries deliveries;

  /** Why the request has failed, for the statistics; null if it has not. */
  private @Nullable FailureReason failed;

  /** The failure to respond with at the end of the execution, if any. */
  private @Nullable InferenceException failure;

  ResponseBuilder(DeclaredOutputs declared, boolean decoupled, ExecutionMeter meter) {
    this.declared = declared;
    this.decoupled = decoupled;
    this.meter = meter;
    this.sender = new ResponseSender(decoupled, meter);
  }

  /** Assigns a request in an execution that has just begun. */
  void begin(PendingRequest newRequest) {
    request = newRequest;
    ended = false;
    refused = false;
    rescheduled = false;
    detached = null;
    sender.begin(newRequest);
    failed = null;
    failure = null;
  }

  /** Drops the reference to the request, after it was counted. */
  void forget() {
    request = PaddingRequests.EMPTY;
    sender.forget();
    failure = null;
    detached = null;
  }

  /**
   * Passes the request on, with its unsent content, to a builder that ends it later. This one has
   * ended.
   *
   * @param later measures it
   * @param others gets the calls of other code; {@link #deliverAtOnce} ends that
   */
  ResponseBuilder detach(ExecutionMeter later, Deliveries others) {
    boolean isRefused = !isOpen();
    var builder = new ResponseBuilder(declared, decoupled, later);
    builder.begin(request);
    builder.ended = ended;
    builder.refused = isRefused;
    builder.failed = failed;
    builder.failure = failure;
    builder.content.takeFrom(content);
    builder.sender.continueFrom(sender);
    builder.deliveries = others;
    failed = null;
    failure = null;
    ended = true;
    return builder;
  }

  /** From now on no lock is held. */
  void deliverAtOnce() {
    deliveries = null;
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
    return content.holds(output);
  }

  /** Adds an output; {@code release} is run when the response is closed or dropped. */
  void add(Tensor output, Runnable release) {
    content.add(output, release);
  }

  /** Removes an output that was added and not sent, if there is one of that name. */
  void remove(String output) {
    content.remove(output);
  }

  /** Adds memory that is freed with the response but is no output of it. */
  void keep(Runnable release) {
    content.keep(release);
  }

  /** Adds a parameter to the next response; has no effect after the end. */
  void parameter(String name, Parameter value) {
    if (!ended) {
      content.parameter(name, value);
    }
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
        request.trace().responded(content.outputs());
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
      content.keepMemoryOnly();
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
    List<Tensor> outputs = content.outputs();
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
      } else if (!ended && decoupled && content.isEmpty()) {
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
    request.promise().fail(reason.withoutRetryAfter());
  }

  /** Records the execution, and the outputs that are sent at its end. */
  private void trace(RequestTrace trace) {
    meter.trace(trace);
    if (!ended) {
      trace.responded(content.outputs());
    }
  }

  /** Drops the unsent content. */
  void drop() {
    release(content.takeReleases());
  }

  /** Runs releases of outputs, which may be a backend's. */
  void release(List<Runnable> releases) {
    if (!releases.isEmpty()) {
      call(() -> InferenceResponse.release(releases));
    }
  }

  private void call(Runnable other) {
    Deliveries later = deliveries;
    if (later == null) {
      other.run();
    } else {
      later.add(other);
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
    if (content.outputs().isEmpty() && !decoupled && !request.promise().isDecided()) {
      declared.warnOfNone(request.id(), request.request().outputs());
    }
    return content.take(request.request());
  }

  /** Sends a response, the failure if there is one, or just the end. */
  private void respond(@Nullable InferenceResponse response, boolean last) {
    if (deliveries == null) {
      sender.send(response, failure, last);
    } else {
      InferenceException reason = failure;
      call(() -> sender.send(response, reason, last));
    }
  }
}

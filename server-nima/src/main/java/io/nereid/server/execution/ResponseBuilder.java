package io.nereid.server.execution;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.Parameter;
import io.nereid.server.execution.sequence.PaddingRequests;
import io.nereid.server.request.InferenceResponse;
import io.nereid.server.request.PendingRequest;
import io.nereid.server.request.ResponsePromise;
import io.nereid.server.telemetry.statistics.FailureReason;
import io.nereid.server.telemetry.statistics.ResponseOutcome;
import io.nereid.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One request of an execution: what is collected for its next response, and whether it has ended. A
 * request of a decoupled model gets its responses and its end when the backend says so. Any other
 * gets its one answer at the end of the execution, after its inputs went back, unless it is sent
 * before.
 *
 * <p>Used again and again: {@link #begin} gives it a request, {@link #end} ends that, {@link
 * #forget} lets go of it.
 */
final class ResponseBuilder {
  private static final System.Logger LOG = System.getLogger(ResponseBuilder.class.getName());

  private final boolean decoupled;
  private final ExecutionMeter meter;
  private PendingRequest request = PaddingRequests.EMPTY;

  /** What is collected; immutable lists until there is more than one. */
  private List<Tensor> outputs = List.of();

  private List<Runnable> releases = List.of();
  private @Nullable Map<String, Parameter> parameters;
  private boolean ended;

  /** Whether the request runs again instead of ending with this execution. */
  private boolean rescheduled;

  /** How many responses have been sent, and when the last one was. */
  private int responses;

  private long lastResponse;

  /** What it has failed of, if it has. */
  private @Nullable FailureReason failed;

  /** Why the request fails, if it does not before the end of the execution. */
  private @Nullable InferenceException failure;

  ResponseBuilder(boolean decoupled, ExecutionMeter meter) {
    this.decoupled = decoupled;
    this.meter = meter;
  }

  /** Is that request's from now on, in an execution that has just begun. */
  void begin(PendingRequest newRequest) {
    request = newRequest;
    ended = false;
    rescheduled = false;
    responses = 0;
    lastResponse = meter.start();
    failed = null;
    failure = null;
  }

  /** Keeps nothing of the request. After it was counted. */
  void forget() {
    request = PaddingRequests.EMPTY;
    failure = null;
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

  long rows() {
    return request.rows();
  }

  /** Adds an output; {@code release} is run when the response is closed, or dropped. */
  void add(Tensor output, Runnable release) {
    outputs = with(outputs, output);
    keep(release);
  }

  /** Has memory that is no output go back with the response; before the end. */
  void keep(Runnable release) {
    releases = with(releases, release);
  }

  /** The list with one element more: that of most responses has one. */
  private static <T> List<T> with(List<T> list, T element) {
    if (list.isEmpty()) {
      return List.of(element);
    }
    List<T> longer = list.size() == 1 ? new ArrayList<>(list) : list;
    longer.add(element);
    return longer;
  }

  /** Adds a parameter of the next response; without effect if there is none. */
  void parameter(String name, Parameter value) {
    if (ended) {
      return;
    }
    if (parameters == null) {
      parameters = new HashMap<>();
    }
    parameters.put(name, value);
  }

  /** Sends what is collected, at once; the only answer unless the model is decoupled. */
  void send() {
    requireOpen();
    ended = !decoupled;
    tell(collected(), ended);
  }

  /** No more will come; what is collected is dropped. */
  void finish() {
    requireOpen();
    ended = true;
    drop();
    tell(null, true);
  }

  /**
   * The request has failed, unless it has ended; what is collected is dropped. A client of a
   * decoupled model hears of it now, any other once its inputs went back.
   */
  void fail(InferenceException reason) {
    if (!ended) {
      ended = true;
      rescheduled = false;
      failure = reason;
      failed =
          reason.code() == StatusCode.CANCELLED ? FailureReason.CANCELED : FailureReason.BACKEND;
      drop();
      if (decoupled) {
        tell(null, true);
        failure = null;
      }
    }
  }

  /** The request is not done: what is collected for it is dropped, and it does not end here. */
  void reschedule() {
    requireOpen();
    rescheduled = true;
  }

  /**
   * The execution is over. Gives the inputs back, then answers if that is still to be done: a
   * client that has its answer finds the memory free again. Once, last.
   */
  void end() {
    if (rescheduled) {
      drop();
      return;
    }
    try {
      request.close();
    } finally {
      if (failure != null) {
        tell(null, true);
      } else if (!ended && decoupled && outputs.isEmpty() && parameters == null) {
        finish();
      } else if (!ended) {
        ended = true;
        tell(collected(), true);
      }
    }
  }

  /** What is collected goes back, and nobody is told. */
  void drop() {
    List<Runnable> dropped = releases;
    clear();
    dropped.forEach(Runnable::run);
  }

  /** Counts what has become of the request; returns whether it has succeeded. After the end. */
  boolean count() {
    if (rescheduled) {
      return true; // so far; the request counts when it ends
    }
    if (failed != null) {
      meter.failed(request, failed);
      return false;
    }
    meter.succeeded(request);
    return true;
  }

  private void requireOpen() {
    if (ended || rescheduled) {
      throw new IllegalStateException(
          "model '%s' goes on with request '%s', which has ended"
              .formatted(request.request().model().name(), request.request().id()));
    }
  }

  private InferenceResponse collected() {
    var response =
        new InferenceResponse(
            request.request().model(),
            request.request().id(),
            parameters == null ? Map.of() : Map.copyOf(parameters),
            outputs,
            releases);
    clear(); // the lists are the response's from now on
    return response;
  }

  private void clear() {
    outputs = List.of();
    releases = List.of();
    parameters = null;
  }

  /** Tells who waits; their trouble is neither the next one's nor the backend's. */
  private void tell(@Nullable InferenceResponse response, boolean last) {
    if (last) {
      meter.tell(request);
    }
    if (response != null || failure != null) {
      meter.responding(request);
    }
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
    } catch (Throwable thrown) { // also an Error: the batch's other requests want their answers
      LOG.log(System.Logger.Level.ERROR, "an answer was not delivered", thrown);
    }
  }
}

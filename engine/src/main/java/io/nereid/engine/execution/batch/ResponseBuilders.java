package io.nereid.engine.execution.batch;

import io.nereid.engine.execution.output.DeclaredOutputs;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.RequestErrors;
import io.nereid.error.InferenceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The builders of an execution's requests, in the order of rows. There are as many as the largest
 * batch had requests, and they are reused: {@link #begin} assigns requests, {@link #end} drops
 * them. Used by the instance's thread.
 */
final class ResponseBuilders {
  private static final System.Logger LOG = System.getLogger(ResponseBuilders.class.getName());

  private final DeclaredOutputs outputs;
  private final boolean decoupled;
  private final ExecutionMeter meter;
  private final DispatchedBatch dispatched;
  private final List<ResponseBuilder> kept = new ArrayList<>();
  private int size;

  /**
   * Creates builders without requests.
   *
   * @param dispatched tells which rows are padding
   */
  ResponseBuilders(
      DeclaredOutputs outputs,
      boolean decoupled,
      ExecutionMeter meter,
      DispatchedBatch dispatched) {
    this.outputs = outputs;
    this.decoupled = decoupled;
    this.meter = meter;
    this.dispatched = dispatched;
  }

  /** Assigns the requests of an execution that has just begun. */
  void begin(List<PendingRequest> requests) {
    size = requests.size();
    for (int i = 0; i < size; i++) {
      if (i == kept.size()) {
        kept.add(new ResponseBuilder(outputs, decoupled, meter));
      }
      kept.get(i).begin(requests.get(i));
    }
  }

  /** Drops the requests, after they were counted. */
  void end() {
    for (int i = 0; i < size; i++) {
      kept.get(i).forget();
    }
    size = 0;
  }

  /** The number of requests of the execution; 0 between executions. */
  int size() {
    return size;
  }

  /** The builder of the request at {@code index}. */
  ResponseBuilder get(int index) {
    return kept.get(Objects.checkIndex(index, size));
  }

  /** Whether a request that has not ended wants that output. */
  boolean wants(String output) {
    for (int i = 0; i < size; i++) {
      if (kept.get(i).wants(output)) {
        return true;
      }
    }
    return false;
  }

  long rows() {
    long rows = 0;
    for (int i = 0; i < size; i++) {
      rows += kept.get(i).rows();
    }
    return rows;
  }

  /** Whether a response holds that output already. */
  boolean holds(String output) {
    for (int i = 0; i < size; i++) {
      if (kept.get(i).holds(output)) {
        return true;
      }
    }
    return false;
  }

  /** Fails every request that has not ended, because of what the backend gave for all of them. */
  void refuseAll(InferenceException wrong) {
    for (int i = 0; i < size; i++) {
      if (!isPadding(i)) {
        kept.get(i).refuse(wrong);
      }
    }
  }

  /** Fails the requests whose collected outputs are not what they should be. */
  void checkContents() {
    for (int i = 0; i < size; i++) {
      if (!isPadding(i)) {
        kept.get(i).checkContent();
      }
    }
  }

  /** Fails every request that has not ended. */
  void failAll(InferenceException failure) {
    for (int i = 0; i < size; i++) {
      if (!isPadding(i)) {
        kept.get(i).fail(failure);
      }
    }
  }

  /** Ends every request, also if ending another one fails. */
  void endAll() {
    for (int i = 0; i < size; i++) {
      try {
        end(i);
      } catch (Throwable thrown) { // a bug that must not affect the next request
        LOG.log(
            System.Logger.Level.ERROR,
            RequestErrors.prefix(kept.get(i).requestId()) + "a request was not ended",
            thrown);
        kept.get(i).failEnd(InferenceException.unexpected(thrown));
      }
    }
  }

  private void end(int index) {
    if (isPadding(index)) {
      kept.get(index).drop();
    } else {
      kept.get(index).end();
    }
  }

  /** Counts the requests; returns whether one of them succeeded. */
  boolean count() {
    boolean succeeded = false;
    for (int i = 0; i < size; i++) {
      if (!isPadding(i)) {
        succeeded |= kept.get(i).count();
      }
    }
    return succeeded;
  }

  boolean isPadding(int index) {
    return dispatched.isPadding(index);
  }
}

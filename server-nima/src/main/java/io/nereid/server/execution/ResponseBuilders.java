package io.nereid.server.execution;

import io.nereid.error.InferenceException;
import io.nereid.server.request.PendingRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A builder for each request of an execution, in the order of rows. As many are kept as the largest
 * batch had, and used again: {@link #begin} gives them requests, {@link #end} has them forget
 * these. By the instance's thread.
 */
final class ResponseBuilders {
  private static final System.Logger LOG = System.getLogger(ResponseBuilders.class.getName());

  private final boolean decoupled;
  private final ExecutionMeter meter;
  private final @Nullable SequenceTensors sequences;
  private final List<ResponseBuilder> kept = new ArrayList<>();
  private int size;

  /**
   * Builders of no request yet.
   *
   * @param sequences knows which rows are padding; null unless it is a sequence model's batch
   */
  ResponseBuilders(boolean decoupled, ExecutionMeter meter, @Nullable SequenceTensors sequences) {
    this.decoupled = decoupled;
    this.meter = meter;
    this.sequences = sequences;
  }

  /** An execution of these requests has just begun. */
  void begin(List<PendingRequest> requests) {
    size = requests.size();
    for (int i = 0; i < size; i++) {
      if (i == kept.size()) {
        kept.add(new ResponseBuilder(decoupled, meter));
      }
      kept.get(i).begin(requests.get(i));
    }
  }

  /** The execution is over, and counted. */
  void end() {
    for (int i = 0; i < size; i++) {
      kept.get(i).forget();
    }
    size = 0;
  }

  /** Requests of the execution; 0 if there is none. */
  int size() {
    return size;
  }

  /** The builder of the request at {@code index}. */
  ResponseBuilder get(int index) {
    return kept.get(Objects.checkIndex(index, size));
  }

  /** Whether any request still wants that output. */
  boolean wants(String output) {
    for (int i = 0; i < size; i++) {
      if (kept.get(i).wants(output)) {
        return true;
      }
    }
    return false;
  }

  /** What all requests add to the batch. */
  long rows() {
    long rows = 0;
    for (int i = 0; i < size; i++) {
      rows += kept.get(i).rows();
    }
    return rows;
  }

  /** Every request that is not answered yet has failed. */
  void failAll(InferenceException failure) {
    for (int i = 0; i < size; i++) {
      if (!isPadding(i)) {
        kept.get(i).fail(failure);
      }
    }
  }

  /** Ends every request, whatever becomes of those before it. */
  void endAll() {
    for (int i = 0; i < size; i++) {
      try {
        end(i);
      } catch (Throwable thrown) { // a bug of ours, which the next request has no part in
        LOG.log(System.Logger.Level.ERROR, "a request was not ended", thrown);
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

  /** Counts what has become of the requests; returns whether one of them succeeded. */
  boolean count() {
    boolean succeeded = false;
    for (int i = 0; i < size; i++) {
      if (!isPadding(i)) {
        succeeded |= kept.get(i).count();
      }
    }
    return succeeded;
  }

  private boolean isPadding(int index) {
    return sequences != null && sequences.isPadding(index);
  }
}

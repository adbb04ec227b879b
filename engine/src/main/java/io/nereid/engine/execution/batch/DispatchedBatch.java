package io.nereid.engine.execution.batch;

import io.nereid.engine.execution.sequence.PaddingRequests;
import io.nereid.engine.execution.sequence.SequenceState;
import io.nereid.engine.request.PendingRequest;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The batch of an instance, reused for every execution. The scheduler fills it while the instance
 * is ready. From its dispatch until the end of the execution it belongs to the instance's thread.
 */
public final class DispatchedBatch {
  private final List<PendingRequest> requests = new ArrayList<>();

  /**
   * Of a sequence model: the state of each row's sequence; null for padding, and without states.
   */
  private final List<@Nullable SequenceState> states = new ArrayList<>();

  private final BitSet padding = new BitSet();

  /** Adds a request; takes it. */
  public void add(PendingRequest request) {
    requests.add(request);
  }

  /** Adds a request of a sequence; takes it. */
  public void add(PendingRequest request, @Nullable SequenceState state) {
    requests.add(request);
    states.add(state);
  }

  /** Adds a padding row to a batch of sequences. */
  public void pad() {
    padding.set(requests.size());
    requests.add(PaddingRequests.EMPTY);
    states.add(null);
  }

  /** The requests, in the order of rows. */
  public List<PendingRequest> requests() {
    return requests;
  }

  /** The number of requests without padding. */
  int size() {
    return requests.size() - padding.cardinality();
  }

  /** The request of that row; null for padding. */
  public @Nullable PendingRequest request(int row) {
    return isPadding(row) ? null : requests.get(row);
  }

  /** The state of that row's sequence; null for padding, and without states. */
  public @Nullable SequenceState state(int row) {
    return row < states.size() ? states.get(row) : null;
  }

  public boolean isPadding(int row) {
    return padding.get(row);
  }

  void clear() {
    requests.clear();
    states.clear();
    padding.clear();
  }
}

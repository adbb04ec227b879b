package io.nereid.server.execution;

import io.nereid.server.execution.sequence.PaddingRequests;
import io.nereid.server.execution.sequence.SequencePlace;
import io.nereid.server.request.PendingRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The batch of an instance, reused for every execution. The scheduler fills it while the instance
 * is ready. From its dispatch until the end of the execution it belongs to the instance's thread.
 */
public final class Execution {
  private final List<PendingRequest> requests = new ArrayList<>();

  /** The place of each row in its sequence, for sequence models; null for a padding row. */
  private final List<@Nullable SequencePlace> places = new ArrayList<>();

  /** Adds a request; takes it. */
  public void add(PendingRequest request) {
    requests.add(request);
  }

  /** Adds a request of a sequence; takes it. */
  public void add(PendingRequest request, SequencePlace place) {
    requests.add(request);
    places.add(place);
  }

  /** Adds a padding row to a batch of sequences. */
  public void pad() {
    requests.add(PaddingRequests.EMPTY);
    places.add(null);
  }

  /** The requests, in the order of rows. */
  public List<PendingRequest> requests() {
    return requests;
  }

  /** The number of requests without padding. */
  int size() {
    int size = requests.size();
    for (SequencePlace place : places) {
      size -= place == null ? 1 : 0;
    }
    return size;
  }

  /** The place of a row in its sequence; null for padding and for models without sequences. */
  public @Nullable SequencePlace place(int row) {
    return row < places.size() ? places.get(row) : null;
  }

  public boolean isPadding(int row) {
    return row < places.size() && places.get(row) == null;
  }

  void clear() {
    requests.clear();
    places.clear();
  }
}

package io.nereid.server.execution;

import io.nereid.server.execution.sequence.PaddingRequests;
import io.nereid.server.execution.sequence.SequencePlace;
import io.nereid.server.request.PendingRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A batch on its way to an instance. There is one an instance, used again and again: the scheduler
 * fills it once the instance is ready and hands it over; then it is the instance's until its
 * execution has ended.
 */
public final class Execution {
  private final List<PendingRequest> requests = new ArrayList<>();

  /** Of a sequence model, beside each of its requests; null is a padding row. */
  private final List<@Nullable SequencePlace> places = new ArrayList<>();

  /** Adds a request, which becomes the instance's. */
  public void add(PendingRequest request) {
    requests.add(request);
  }

  /** Adds a request of a sequence, which becomes the instance's. */
  public void add(PendingRequest request, SequencePlace place) {
    requests.add(request);
    places.add(place);
  }

  /** Adds a row without a request, to a batch of sequences. */
  public void pad() {
    requests.add(PaddingRequests.EMPTY);
    places.add(null);
  }

  /** The requests, in the order of rows. */
  public List<PendingRequest> requests() {
    return requests;
  }

  /** How many requests it has, without padding. */
  int size() {
    int size = requests.size();
    for (SequencePlace place : places) {
      size -= place == null ? 1 : 0;
    }
    return size;
  }

  /** Where the request of that row is in its sequence; null for padding, and without sequences. */
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

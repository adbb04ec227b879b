package io.nereid.engine.request;

import io.nereid.error.InferenceException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;

/**
 * The order in which responses leave under {@code preserve_ordering}: that in which their requests
 * arrived. Each request gets a place. Its responses are held until all requests before it have
 * ended. A request that {@link #leave}s its place delays no other, and gets its own responses at
 * once.
 *
 * <p>May be used by any thread. Receivers are called by one thread at a time, and never under the
 * lock.
 */
public final class ResponseOrder {
  private final SequencedSet<Place> places = new LinkedHashSet<>();

  private final Deliveries due = new Deliveries();

  /**
   * Gives a request the next place, which receives its responses from now on. A cancelled request
   * leaves its place.
   *
   * @param promise without a response so far
   */
  public void enter(ResponsePromise promise) {
    Place place;
    synchronized (this) {
      place = new Place(promise.receiver());
      places.add(place);
    }
    promise.receive(place);
    promise.onCancel(place::leave);
  }

  /** Removes a request that will not run from its place, if it has one. */
  public static void leave(ResponsePromise promise) {
    if (promise.receiver() instanceof Place place) {
      place.leave();
    }
  }

  /** The place of a request, between its promise and its receiver. */
  private final class Place implements ResponseReceiver {
    private final ResponseReceiver receiver;
    private final List<Runnable> held = new ArrayList<>(1);
    private boolean ended;
    private boolean left;

    Place(ResponseReceiver receiver) {
      this.receiver = receiver;
    }

    @Override
    public void computed(long queueNanos, long inputNanos, long inferNanos, long outputNanos) {
      receiver.computed(queueNanos, inputNanos, inferNanos, outputNanos);
    }

    @Override
    public void next(InferenceResponse response) {
      take(() -> receiver.next(response), false);
    }

    @Override
    public void awaitRoom() {
      receiver.awaitRoom();
    }

    @Override
    public void answer(InferenceResponse response) {
      take(() -> receiver.answer(response), true);
    }

    @Override
    public void complete() {
      take(receiver::complete, true);
    }

    @Override
    public void fail(InferenceException failure) {
      take(() -> receiver.fail(failure), true);
    }

    @Override
    public void reject(InferenceException reason) {
      take(() -> receiver.reject(reason), true);
    }

    /** Removes the place: the request will not run, or was cancelled. */
    void leave() {
      synchronized (ResponseOrder.this) {
        if (left) {
          return;
        }
        left = true;
        places.remove(this);
        held.forEach(due::add);
        held.clear();
        advance();
      }
      due.pass();
    }

    private void take(Runnable call, boolean last) {
      synchronized (ResponseOrder.this) {
        if (left || isFirst()) {
          due.add(call);
        } else {
          held.add(call);
        }
        ended |= last;
        advance();
      }
      due.pass();
    }

    private boolean isFirst() {
      return !places.isEmpty() && places.getFirst().equals(this);
    }

    /** Removes the first places that have ended, and makes due what the next one held. */
    private void advance() {
      while (!places.isEmpty()) {
        Place first = places.getFirst();
        first.held.forEach(due::add);
        first.held.clear();
        if (!first.ended) {
          return;
        }
        places.removeFirst();
      }
    }
  }
}

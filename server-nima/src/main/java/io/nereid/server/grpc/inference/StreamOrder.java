package io.nereid.server.grpc.inference;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The order in which a stream's messages are sent. The responses to requests of ordinary models are
 * sent in the order of the requests; those of decoupled models do not wait for others. Pure; for
 * one thread at a time.
 *
 * @param <M> a message
 */
final class StreamOrder<M> {
  /** The place of a request in the order; empty until its message is added. */
  static final class Place<M> {
    private @Nullable M message;

    private Place() {}
  }

  private final Queue<Place<M>> places = new ArrayDeque<>();
  private final Queue<M> ready = new ArrayDeque<>();

  /** Reserves the last place for a request of an ordinary model. */
  Place<M> reserve() {
    var place = new Place<M>();
    places.add(place);
    return place;
  }

  /** Adds the only message of a request that has a place. */
  void add(Place<M> place, M message) {
    if (place.message != null) {
      throw new IllegalStateException("a place takes a single message");
    }
    place.message = message;
    for (Place<M> first = places.peek();
        first != null && first.message != null;
        first = places.peek()) {
      ready.add(first.message);
      places.remove();
    }
  }

  /** Adds a message that does not wait for others. */
  void add(M message) {
    ready.add(message);
  }

  /** Removes the next message to send; null if none is ready. */
  @Nullable M poll() {
    return ready.poll();
  }

  /** Whether a message is ready to be sent. */
  boolean hasNext() {
    return !ready.isEmpty();
  }

  /** Removes all places, and returns the messages that waited in them. */
  List<M> clearPlaces() {
    List<M> waiting = new ArrayList<>();
    for (Place<M> place : places) {
      if (place.message != null) {
        waiting.add(place.message);
      }
    }
    places.clear();
    return waiting;
  }
}

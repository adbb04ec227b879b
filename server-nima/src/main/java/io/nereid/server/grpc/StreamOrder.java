package io.nereid.server.grpc;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The order in which a stream's answers leave. Requests of ordinary models stand in one line, and
 * are answered in the order in which they came; answers of decoupled models pass by the line. Pure;
 * for one thread at a time.
 *
 * @param <A> an answer
 */
final class StreamOrder<A> {
  /** Where a request stands in the line, empty-handed until its answer is there. */
  static final class Place<A> {
    private @Nullable A answer;

    private Place() {}
  }

  private final Queue<Place<A>> line = new ArrayDeque<>();
  private final Queue<A> ready = new ArrayDeque<>();

  /** Takes the place at the line's end. */
  Place<A> join() {
    var place = new Place<A>();
    line.add(place);
    return place;
  }

  /** Gives the answer of a request in the line; once for each place. */
  void add(Place<A> place, A answer) {
    if (place.answer != null) {
      throw new IllegalStateException("a request in the line has a single answer");
    }
    place.answer = answer;
    for (Place<A> first = line.peek(); first != null && first.answer != null; first = line.peek()) {
      ready.add(first.answer);
      line.remove();
    }
  }

  /** Gives an answer that need not wait for others. */
  void add(A answer) {
    ready.add(answer);
  }

  /** The next answer to leave; null if there is none yet. */
  @Nullable A poll() {
    return ready.poll();
  }

  /** Whether there is an answer that may leave. */
  boolean hasNext() {
    return !ready.isEmpty();
  }

  /** Forgets the line, and returns the answers that were waiting in it. */
  List<A> clearLine() {
    List<A> left = new ArrayList<>();
    for (Place<A> place : line) {
      if (place.answer != null) {
        left.add(place.answer);
      }
    }
    line.clear();
    return left;
  }
}

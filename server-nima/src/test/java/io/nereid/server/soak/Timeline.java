package io.nereid.server.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Which release of a model served when, as far as a client can know: between the begin and the end
 * of an operation both the state before and the state after may serve. Times are of {@link
 * System#nanoTime}. Thread-safe.
 */
final class Timeline {
  /** What an operation led to. */
  private static final class State {
    private final Optional<String> release;
    private final long begin;

    /** Until it is known, requests that have ended began before it. */
    private Optional<Long> end = Optional.empty();

    private State(Optional<String> release, long begin) {
      this.release = release;
      this.begin = begin;
    }
  }

  private final List<State> states = new ArrayList<>();

  /**
   * @param release the one that serves from the beginning
   */
  Timeline(String release) {
    begin(Optional.of(release), Long.MIN_VALUE);
    end(Long.MIN_VALUE);
  }

  /** An operation begins that leads to a release, or to none. */
  synchronized void begin(Optional<String> release, long now) {
    states.add(new State(release, now));
  }

  /** The operation has ended. */
  synchronized void end(long now) {
    states.getLast().end = Optional.of(now);
  }

  /**
   * Whether a request from {@code sent} to {@code received} may have been answered by a release, or
   * rejected if it is empty.
   */
  synchronized boolean allows(Optional<String> release, long sent, long received) {
    for (int i = states.size() - 1; i >= 0; i--) {
      State state = states.get(i);
      boolean last = i == states.size() - 1;
      boolean over = !last && states.get(i + 1).end.filter(end -> end - sent < 0).isPresent();
      if (over) {
        return false; // and so are those before it
      }
      if (state.release.equals(release) && (i == 0 || state.begin - received <= 0)) {
        return true;
      }
    }
    return false;
  }
}

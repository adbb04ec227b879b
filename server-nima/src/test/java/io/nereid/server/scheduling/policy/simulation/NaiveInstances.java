package io.nereid.server.scheduling.policy.simulation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Which instances there are, and what each of them does. */
final class NaiveInstances {
  private enum State {
    RESTING,
    CALLED,
    ASKING,
    BUSY
  }

  private final TreeMap<Integer, State> states = new TreeMap<>();
  private final Map<Integer, Boolean> removed = new HashMap<>();
  private final Map<Integer, Long> priorities = new HashMap<>();
  private final Map<Integer, Long> executions = new HashMap<>();

  void add(int instance, long priority) {
    states.put(instance, State.RESTING);
    removed.put(instance, false);
    priorities.put(instance, priority);
    executions.put(instance, 1L);
  }

  void remove(int instance) {
    removed.put(instance, true);
    if (states.get(instance) != State.BUSY) {
      states.remove(instance);
    }
  }

  boolean isGone(int instance) {
    return Boolean.TRUE.equals(removed.get(instance)) && states.get(instance) != State.BUSY;
  }

  /** An instance asks for a batch; false if it gets none any more. */
  boolean asks(int instance) {
    if (Boolean.TRUE.equals(removed.get(instance))) {
      return false;
    }
    states.put(instance, State.ASKING);
    return true;
  }

  List<Integer> asking() {
    return in(State.ASKING);
  }

  List<Integer> called() {
    return in(State.CALLED);
  }

  /** Those that rest, in the order of their turns. */
  List<Integer> resting() {
    List<Integer> resting = new ArrayList<>(in(State.RESTING));
    resting.sort(
        Comparator.comparingLong(
            each -> executions.getOrDefault(each, 0L) * priorities.getOrDefault(each, 0L)));
    return resting;
  }

  private List<Integer> in(State state) {
    return states.keySet().stream().filter(each -> states.get(each) == state).toList();
  }

  void idle(int instance) {
    states.put(instance, State.RESTING);
  }

  void wake(int instance) {
    states.put(instance, State.CALLED);
  }

  void start(int instance) {
    states.put(instance, State.BUSY);
  }

  void finish(int instance) {
    executions.merge(instance, 1L, Long::sum);
    if (Boolean.TRUE.equals(removed.get(instance))) {
      states.remove(instance);
    } else {
      states.put(instance, State.RESTING);
    }
  }
}

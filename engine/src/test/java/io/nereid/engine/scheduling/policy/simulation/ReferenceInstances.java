package io.nereid.engine.scheduling.policy.simulation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The reference model of instances and their states. */
final class ReferenceInstances {
  private enum State {
    IDLE,
    WOKEN,
    READY,
    BUSY
  }

  private final TreeMap<Integer, State> states = new TreeMap<>();
  private final Map<Integer, Boolean> removed = new HashMap<>();
  private final Map<Integer, Long> priorities = new HashMap<>();
  private final Map<Integer, Long> executions = new HashMap<>();

  void add(int instance, long priority) {
    states.put(instance, State.IDLE);
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

  boolean isRemoved(int instance) {
    return Boolean.TRUE.equals(removed.get(instance)) && states.get(instance) != State.BUSY;
  }

  /** Makes an instance ready; returns false if it was removed. */
  boolean ready(int instance) {
    if (Boolean.TRUE.equals(removed.get(instance))) {
      return false;
    }
    states.put(instance, State.READY);
    return true;
  }

  List<Integer> allReady() {
    return in(State.READY);
  }

  List<Integer> allWoken() {
    return in(State.WOKEN);
  }

  /** The idle instances, in the order in which they are woken. */
  List<Integer> allIdle() {
    List<Integer> idle = new ArrayList<>(in(State.IDLE));
    idle.sort(
        Comparator.comparingLong(
            each -> executions.getOrDefault(each, 0L) * priorities.getOrDefault(each, 0L)));
    return idle;
  }

  private List<Integer> in(State state) {
    return states.keySet().stream().filter(each -> states.get(each) == state).toList();
  }

  void idle(int instance) {
    states.put(instance, State.IDLE);
  }

  void wake(int instance) {
    states.put(instance, State.WOKEN);
  }

  void start(int instance) {
    states.put(instance, State.BUSY);
  }

  void finish(int instance) {
    executions.merge(instance, 1L, Long::sum);
    if (Boolean.TRUE.equals(removed.get(instance))) {
      states.remove(instance);
    } else {
      states.put(instance, State.IDLE);
    }
  }
}

package io.nereid.policy.simulation;

import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

/** Which instances there are, and which of them run. */
final class NaiveInstances {
  private final TreeSet<Integer> idle = new TreeSet<>();
  private final Set<Integer> busy = new HashSet<>();
  private final Set<Integer> removed = new HashSet<>();

  boolean anyIdle() {
    return !idle.isEmpty();
  }

  void add(int instance) {
    removed.remove(instance);
    idle.add(instance);
  }

  void remove(int instance) {
    removed.add(instance);
    idle.remove(instance);
  }

  boolean isGone(int instance) {
    return removed.contains(instance) && !busy.contains(instance);
  }

  /** The lowest idle instance, which runs from now on. */
  int startLowest() {
    int instance = idle.removeFirst();
    busy.add(instance);
    return instance;
  }

  void finish(int instance) {
    busy.remove(instance);
    if (!removed.contains(instance)) {
      idle.add(instance);
    }
  }
}

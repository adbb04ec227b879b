package io.nereid.tck.gate;

import java.util.HashMap;
import java.util.Map;

/** How many executions a gate still lets pass. Guarded by the gate. */
final class Permits {
  private final Map<String, Integer> ofInstance = new HashMap<>();
  private int ofAny;
  private boolean endless;

  void add(int count) {
    ofAny += count;
  }

  void add(String instance, int count) {
    ofInstance.merge(instance, count, Integer::sum);
  }

  void addAll() {
    endless = true;
  }

  /** Whether there is one for that instance. */
  boolean has(String instance) {
    return endless || own(instance) > 0 || ofAny > 0;
  }

  /** Takes a permit if there is one: the instance's own before a common one. */
  boolean take(String instance) {
    if (!has(instance)) {
      return false;
    }
    if (own(instance) > 0) {
      ofInstance.merge(instance, -1, Integer::sum);
    } else if (!endless) {
      ofAny--;
    }
    return true;
  }

  private int own(String instance) {
    return ofInstance.getOrDefault(instance, 0);
  }

  @Override
  public String toString() {
    return endless ? "open" : "open to %d executions and %s".formatted(ofAny, ofInstance);
  }
}

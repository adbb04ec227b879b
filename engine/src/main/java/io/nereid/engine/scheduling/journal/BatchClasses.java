package io.nereid.engine.scheduling.journal;

import java.util.HashMap;
import java.util.Map;

/**
 * The numbers of the batch keys of waiting requests. A key keeps its number while a request with it
 * waits, which is as long as keys are compared.
 */
final class BatchClasses {
  private static final class Use {
    final int number;
    int requests;

    Use(int number) {
      this.number = number;
    }
  }

  private final Map<Object, Use> uses = new HashMap<>();
  private int numbers;

  /** Adds a waiting request, and returns the number of its key. */
  int add(Object batchKey) {
    Use use = uses.computeIfAbsent(batchKey, _ -> new Use(numbers++));
    use.requests++;
    return use.number;
  }

  void remove(Object batchKey) {
    Use use = uses.get(batchKey);
    if (use != null && --use.requests == 0) {
      uses.remove(batchKey);
    }
  }

  /** Forgets all requests. */
  void clear() {
    uses.clear();
  }
}

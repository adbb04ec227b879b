package io.nereid.server.scheduling.journal;

import java.util.HashMap;
import java.util.Map;

/**
 * Numbers for the batch keys of the requests that wait, so that a journal can say which are equal
 * without saying what they are. A key keeps its number while any request with it waits, which is as
 * long as anybody compares it.
 */
final class BatchClasses {
  /** A number, and how many requests use it. */
  private static final class Use {
    final int number;
    int requests;

    Use(int number) {
      this.number = number;
    }
  }

  private final Map<Object, Use> uses = new HashMap<>();
  private int numbers;

  /** A request with that key begins to wait; returns the key's number. */
  int enter(Object batchKey) {
    Use use = uses.get(batchKey);
    if (use == null) {
      use = new Use(numbers);
      numbers++;
      uses.put(batchKey, use);
    }
    use.requests++;
    return use.number;
  }

  /** A request with that key waits no more. */
  void leave(Object batchKey) {
    Use use = uses.get(batchKey);
    if (use != null) {
      use.requests--;
      if (use.requests == 0) {
        uses.remove(batchKey);
      }
    }
  }
}

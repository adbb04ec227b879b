package io.nereid.policy;

import java.util.BitSet;

/** Which instances can take a batch, and which are to take none any more. */
final class IdleInstances {
  private final BitSet idle = new BitSet();
  private final BitSet busy = new BitSet();
  private final BitSet removed = new BitSet();

  /** An idle instance, the lowest; -1 if there is none. */
  int first() {
    return idle.nextSetBit(0);
  }

  void add(int instance) {
    removed.clear(instance);
    idle.set(instance);
  }

  void remove(int instance) {
    idle.clear(instance);
    removed.set(instance);
  }

  boolean isIdle(int instance) {
    return idle.get(instance);
  }

  boolean isGone(int instance) {
    return removed.get(instance) && !busy.get(instance);
  }

  void dispatched(int instance) {
    idle.clear(instance);
    busy.set(instance);
  }

  void executed(int instance) {
    busy.clear(instance);
    if (!removed.get(instance)) {
      idle.set(instance);
    }
  }
}

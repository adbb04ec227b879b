package io.nereid.server.scheduling.policy;

import java.util.Arrays;
import java.util.BitSet;

/**
 * What instances do: rest, are called and on their way, ask for a batch, or run one; and which are
 * to take none any more.
 */
public final class Instances {
  private final BitSet resting = new BitSet();
  private final BitSet called = new BitSet();
  private final BitSet ready = new BitSet();
  private final BitSet busy = new BitSet();
  private final BitSet removed = new BitSet();

  /** By instance: what it is to be spared, and how often it has been opened or has executed. */
  private long[] priorities = new long[4];

  private long[] executions = new long[4];

  /** An instance that asks for a batch, the lowest; -1 if there is none. */
  int firstReady() {
    return ready.nextSetBit(0);
  }

  boolean isAnyResting() {
    return !resting.isEmpty();
  }

  /** How many are on their way. */
  int called() {
    return called.cardinality();
  }

  /** An instance comes into being, and rests. */
  void add(int instance, long priority) {
    if (instance >= priorities.length) {
      priorities = Arrays.copyOf(priorities, 2 * instance);
      executions = Arrays.copyOf(executions, 2 * instance);
    }
    priorities[instance] = priority;
    executions[instance] = 1;
    removed.clear(instance);
    called.clear(instance);
    resting.set(instance);
  }

  /** An instance gets no batch any more; returns whether it asks for one. */
  boolean remove(int instance) {
    boolean asks = ready.get(instance);
    resting.clear(instance);
    called.clear(instance);
    ready.clear(instance);
    removed.set(instance);
    return asks;
  }

  boolean isGone(int instance) {
    return removed.get(instance) && !busy.get(instance);
  }

  /** Calls the resting instance whose turn it is: least executions by priority, or lowest. */
  int wake() {
    int next = resting.nextSetBit(0);
    for (int i = next; i >= 0; i = resting.nextSetBit(i + 1)) {
      if (executions[i] * priorities[i] < executions[next] * priorities[next]) {
        next = i;
      }
    }
    resting.clear(next);
    called.set(next);
    return next;
  }

  /** An instance asks for a batch; false if it gets none any more. */
  boolean asks(int instance) {
    if (removed.get(instance)) {
      return false;
    }
    called.clear(instance);
    resting.clear(instance);
    ready.set(instance);
    return true;
  }

  /** There is nothing for an instance that asks. */
  void idle(int instance) {
    ready.clear(instance);
    resting.set(instance);
  }

  void dispatched(int instance) {
    ready.clear(instance);
    busy.set(instance);
  }

  void executed(int instance) {
    busy.clear(instance);
    executions[instance]++;
    if (!removed.get(instance)) {
      resting.set(instance);
    }
  }
}

package io.nereid.engine.scheduling.policy.dynamic;

import io.nereid.engine.scheduling.policy.SchedulingPolicy;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The states of a model's instances: idle, woken, ready or busy, as {@link SchedulingPolicy}
 * defines them. A removed instance is busy or in no state.
 */
final class Instances {
  private final BitSet idle = new BitSet();
  private final BitSet woken = new BitSet();
  private final BitSet ready = new BitSet();

  /** Instances with batches that are neither idle, woken nor ready. */
  private final BitSet busy = new BitSet();

  private final BitSet removed = new BitSet();

  private long[] priorities = new long[4];

  /** By instance: one plus the number of its executions. */
  private long[] executions = new long[4];

  /** By instance: the number of batches that it executes. */
  private int[] batches = new int[4];

  /** The lowest ready instance; -1 if there is none. */
  int firstReady() {
    return ready.nextSetBit(0);
  }

  boolean hasIdle() {
    return !idle.isEmpty();
  }

  /** The number of instances that were woken and are not ready yet. */
  int woken() {
    return woken.cardinality();
  }

  /** Adds an idle instance. */
  void add(int instance, long priority) {
    if (instance >= priorities.length) {
      priorities = Arrays.copyOf(priorities, 2 * instance);
      executions = Arrays.copyOf(executions, 2 * instance);
      batches = Arrays.copyOf(batches, 2 * instance);
    }
    priorities[instance] = priority;
    executions[instance] = 1;
    removed.clear(instance);
    idle.set(instance);
  }

  /** Marks an instance as removed; returns whether it was ready. */
  boolean remove(int instance) {
    boolean wasReady = ready.get(instance);
    idle.clear(instance);
    woken.clear(instance);
    ready.clear(instance);
    removed.set(instance);
    return wasReady;
  }

  /** Whether an instance was removed and executes no batch. */
  boolean isRemoved(int instance) {
    return removed.get(instance) && batches[instance] == 0;
  }

  /**
   * Wakes an idle instance: of those with the fewest batches the one with the least executions
   * times priority, or the lowest of these.
   */
  int wake() {
    int next = idle.nextSetBit(0);
    for (int i = next; i >= 0; i = idle.nextSetBit(i + 1)) {
      if (precedes(i, next)) {
        next = i;
      }
    }
    idle.clear(next);
    woken.set(next);
    return next;
  }

  private boolean precedes(int instance, int other) {
    return batches[instance] == batches[other]
        ? executions[instance] * priorities[instance] < executions[other] * priorities[other]
        : batches[instance] < batches[other];
  }

  /** Makes an instance ready; returns false if it was removed. */
  boolean ready(int instance) {
    if (removed.get(instance)) {
      return false;
    }
    woken.clear(instance);
    idle.clear(instance);
    busy.clear(instance);
    ready.set(instance);
    return true;
  }

  /** Makes a ready instance idle. */
  void idle(int instance) {
    ready.clear(instance);
    idle.set(instance);
  }

  /** Makes a ready instance busy. */
  void dispatched(int instance) {
    ready.clear(instance);
    busy.set(instance);
    batches[instance]++;
  }

  /** Counts a batch; makes a busy instance without another one idle, unless it was removed. */
  void executed(int instance) {
    executions[instance]++;
    batches[instance]--;
    if (batches[instance] == 0 && busy.get(instance)) {
      busy.clear(instance);
      if (!removed.get(instance)) {
        idle.set(instance);
      }
    }
  }
}

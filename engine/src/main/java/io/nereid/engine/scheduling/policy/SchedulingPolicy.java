package io.nereid.engine.scheduling.policy;

import io.nereid.engine.request.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * The decisions of one scheduler. The scheduler reports events in order, with the time at which it
 * handles them, and calls {@link #decide} after a group of events. One thread at a time.
 *
 * <p>An instance is idle, woken, ready or busy:
 *
 * <pre>
 *   idle  -- {@link SchedulingActions#wake} --> woken -- {@link #ready} --> ready
 *   ready -- {@link SchedulingActions#idle} --> idle
 *   ready -- {@link SchedulingActions#dispatch} --> busy -- {@link #executed} --> idle
 * </pre>
 *
 * <p>A pipelined instance is {@link #ready} again while it executes batches, as soon as it can
 * start another one. Then {@link #executed} leaves its state as it is, unless it is busy with that
 * batch alone.
 */
public interface SchedulingPolicy {
  /** A request has arrived. It is rejected now, or dispatched or rejected later. */
  void arrived(Ticket ticket, long now, SchedulingActions actions);

  /**
   * The head of a request has come, and the rest of it has not. Returns the wait for which the
   * request is refused; null if it is not. Then it may arrive later, or never.
   *
   * @param ticket of one row, with the highest priority, since neither is known
   */
  default @Nullable PredictedWait announced(Ticket ticket, long now) {
    return null;
  }

  /** A request was cancelled. No effect if it is no longer waiting. */
  void cancelled(Ticket ticket, long now, SchedulingActions actions);

  /**
   * An idle instance was added.
   *
   * @param priority of the idle instances, the one with the least product of priority and
   *     executions plus one is woken; of equal ones, the lowest. 0 for an instance without priority
   */
  void instanceAdded(int instance, long priority, long now, SchedulingActions actions);

  /**
   * An instance is to be removed and gets no new work. It still executes its batch and the
   * sequences that have a slot on it; then {@link #isRemoved} returns true.
   */
  void instanceRemoved(int instance, long now, SchedulingActions actions);

  /** Whether an instance was removed and will get no batch again. */
  boolean isRemoved(int instance);

  /** A request of a batch is to be executed again. Precedes {@link #executed} of its batch. */
  default void rescheduled(Ticket ticket, long now, SchedulingActions actions) {
    throw new IllegalStateException("this scheduler cannot run a request again");
  }

  /**
   * An instance that was woken, has executed its batch or can start another one is ready for it.
   * The next {@link #decide} dispatches a batch to it or makes it idle.
   */
  void ready(int instance, long now, SchedulingActions actions);

  /**
   * The first of an instance's batches was cancelled or has failed before its end, so the time that
   * it took is not that of a batch. Precedes {@link #executed} of the batch.
   */
  default void cutShort(int instance, long now, SchedulingActions actions) {}

  /**
   * An instance has executed the first of its batches; it is idle if it was busy with that batch
   * alone.
   *
   * @param endNanos when the model had ended, before the response of any request of the batch
   */
  void executed(int instance, long endNanos, long now, SchedulingActions actions);

  /**
   * Rejects new requests from now on. Waiting requests, further requests of open sequences and
   * ensemble steps are still executed.
   */
  void stopped();

  /** The number of waiting requests. */
  int waiting();

  /**
   * How long a request of one row that arrives now would wait until its batch starts; 0 if it would
   * not, or if nothing was measured. Decides nothing.
   */
  default long waitNanos(long now) {
    return 0;
  }

  /** Whether any sequence accepts further requests. */
  default boolean hasSequences() {
    return false;
  }

  /**
   * Takes all actions that are due.
   *
   * @return when to call this method again if no event precedes that time; {@link Ticket#NEVER} if
   *     only an event requires it
   */
  long decide(long now, SchedulingActions actions);
}

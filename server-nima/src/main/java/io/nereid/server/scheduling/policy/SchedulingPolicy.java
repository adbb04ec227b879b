package io.nereid.server.scheduling.policy;

import io.nereid.server.request.Ticket;

/**
 * The decisions of one scheduler. It is told of everything that happens, in order, each time with
 * the time of the decision, and asked to {@link #decide} once what has happened is told. By one
 * thread at a time.
 */
public interface SchedulingPolicy {
  /** A request has come. It is rejected, or it will be dispatched or rejected later. */
  void arrived(Ticket ticket, long now, SchedulingActions actions);

  /** A request was called off. Without effect if it does not wait any more. */
  void cancelled(Ticket ticket, long now, SchedulingActions actions);

  /**
   * There is another instance, which rests.
   *
   * @param priority of several resting instances the one is called that has the least executions
   *     times this, its opening among them; 0 for all: the lowest
   */
  void instanceAdded(int instance, long priority, long now, SchedulingActions actions);

  /**
   * An instance gets no new work any more.
   *
   * <p>What it is running or has promised to run it still runs: {@link #isRemoved} tells when it
   * can be closed.
   */
  void instanceRemoved(int instance, long now, SchedulingActions actions);

  /** Whether an instance that was removed will never be dispatched to again. */
  boolean isRemoved(int instance);

  /** A request of the batch that an instance is running wants to run again; before executed. */
  default void rescheduled(Ticket ticket, long now, SchedulingActions actions) {
    throw new IllegalStateException("this scheduler cannot run a request again");
  }

  /**
   * An instance asks for a batch: because it was called, or has just executed one. It gets one, or
   * is told to rest.
   */
  void ready(int instance, long now, SchedulingActions actions);

  /**
   * An instance has executed its batch, and rests.
   *
   * @param endNanos when the model had ended, before any of the batch's requests was answered
   */
  void executed(int instance, long endNanos, long now, SchedulingActions actions);

  /**
   * From now on new work is rejected. What waits still runs, and so do requests that go on with a
   * sequence, and steps of ensembles.
   */
  void stopped();

  /** Requests that wait. */
  int waiting();

  /** Whether there is a sequence that clients may still go on with. */
  default boolean hasSequences() {
    return false;
  }

  /**
   * Takes all steps that are due.
   *
   * @return when to ask again though nothing has happened; {@link Ticket#NEVER} if it need not be
   */
  long decide(long now, SchedulingActions actions);
}

package io.nereid.policy;

/**
 * The decisions of one scheduler. It is told of everything that happens, in order, each time with
 * the time of the decision, and asked to {@link #decide} once what has happened is told. By one
 * thread at a time.
 */
public interface SchedulingPolicy {
  /** A request has come. It is refused, or it will be dispatched or refused later. */
  void arrived(Ticket ticket, long now, Steps steps);

  /** A request was called off. Without effect if it does not wait any more. */
  void cancelled(Ticket ticket, long now, Steps steps);

  /** There is another instance, and it is idle. */
  void instanceAdded(int instance, long now, Steps steps);

  /**
   * An instance gets no new work any more.
   *
   * <p>What it is running or has promised to run it still runs: {@link #isRemoved} tells when it
   * can be closed.
   */
  void instanceRemoved(int instance, long now, Steps steps);

  /** Whether an instance that was removed will never be dispatched to again. */
  boolean isRemoved(int instance);

  /** A request of the batch that an instance is running wants to run again; before executed. */
  default void rescheduled(Ticket ticket, long now, Steps steps) {
    throw new IllegalStateException("this scheduler cannot run a request again");
  }

  /** An instance has executed its batch, and is idle. */
  void executed(int instance, long now, Steps steps);

  /** From now on new work is refused; what waits still runs. */
  void stopped();

  /** Requests that wait. */
  int waiting();

  /**
   * Takes all steps that are due.
   *
   * @return when to ask again though nothing has happened; {@link Ticket#NEVER} if it need not be
   */
  long decide(long now, Steps steps);
}

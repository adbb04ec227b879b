package io.nereid.engine.scheduling.policy;

import io.nereid.engine.request.Ticket;
import org.jspecify.annotations.Nullable;

/** The receiver of a policy's decisions, which carries them out or records them. */
public interface SchedulingActions {
  /** Wakes an idle instance, which then reports {@link SchedulingPolicy#ready}. */
  void wake(int instance);

  /** Makes an instance idle that has reported {@link SchedulingPolicy#ready}. */
  void idle(int instance);

  /**
   * Runs a batch on an instance that has reported {@link SchedulingPolicy#ready}. The instance is
   * busy until {@link SchedulingPolicy#executed}.
   *
   * @param batch the first {@code size} elements in the order of rows; null for a padding row. The
   *     policy owns the array: it must not be read after this method returns.
   */
  void dispatch(int instance, @Nullable Ticket[] batch, int size, DispatchReason reason);

  /** Ends a request without executing it. */
  void reject(Ticket ticket, Rejection rejection);

  /** Ends an arriving request because it would wait for too long. */
  void refuse(Ticket ticket, PredictedWait wait);

  /**
   * Ends a sequence after the last of its requests has been executed. Its state is no longer used.
   */
  default void ended(Object sequence) {}

  /**
   * Reports a start request for a sequence that has not ended. This is an error of the client,
   * which is logged and has no effect on responses.
   */
  default void restarted(Ticket ticket) {}
}

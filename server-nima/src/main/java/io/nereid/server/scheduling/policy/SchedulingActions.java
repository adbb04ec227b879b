package io.nereid.server.scheduling.policy;

import io.nereid.server.request.Ticket;
import org.jspecify.annotations.Nullable;

/** What a policy decides. Whoever implements this does it, or writes it down. */
public interface SchedulingActions {
  /** There is something for an instance that rests: {@link SchedulingPolicy#ready} is to follow. */
  void wake(int instance);

  /** There is nothing for an instance that has said {@link SchedulingPolicy#ready}. */
  void idle(int instance);

  /**
   * Runs a batch on an instance that has said {@link SchedulingPolicy#ready}, and is then busy
   * until {@link SchedulingPolicy#executed}.
   *
   * @param batch the first {@code size} are in the order of rows; null is a padding row; the
   *     policy's own array, to be read before this method returns
   */
  void dispatch(int instance, @Nullable Ticket[] batch, int size, DispatchReason reason);

  /** Ends a request that has not run. */
  void reject(Ticket ticket, Rejection rejection);

  /**
   * A sequence is over: its state is for nobody any more. After the last of its requests has been
   * executed.
   */
  default void ended(Object sequence) {}

  /**
   * A sequence begins anew with this request, and has not ended: its client is wrong, which is to
   * be told to whoever runs the server, and to nobody else.
   */
  default void restarted(Ticket ticket) {}
}

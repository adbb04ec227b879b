package io.nereid.engine.scheduling.policy.sequence;

import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.SchedulingActions;
import java.util.Objects;

/**
 * A sequence from its start request to its last one. It is the identity that the requests share
 * ({@link Ticket#sequence}) and the key of the sequence's state.
 */
final class SequenceRun {
  private final LiveSequence live;

  /** Admitted requests that are neither executed nor rejected. */
  private int open;

  /** Whether no further request is admitted to it. */
  private boolean complete;

  SequenceRun(LiveSequence live) {
    this.live = live;
  }

  /** The run of an admitted request. */
  static SequenceRun of(Ticket ticket) {
    return (SequenceRun) Objects.requireNonNull(ticket.sequence);
  }

  /** The sequence, which may have a later run of the same correlation id. */
  LiveSequence live() {
    return live;
  }

  void requestAdmitted() {
    open++;
  }

  /** Records that a request was executed or rejected. */
  void requestEnded(SchedulingActions actions) {
    open--;
    endIfOver(actions);
  }

  /** Records that no further request is admitted. */
  void complete(SchedulingActions actions) {
    if (!complete) {
      complete = true;
      endIfOver(actions);
    }
  }

  private void endIfOver(SchedulingActions actions) {
    if (complete && open == 0) {
      actions.ended(this);
    }
  }
}

package io.nereid.server.scheduling.policy.sequence;

import io.nereid.server.request.Ticket;
import io.nereid.server.scheduling.policy.SchedulingActions;
import java.util.Objects;

/**
 * A sequence from its first request to its last: the identity that its requests share ({@link
 * Ticket#sequence}) and that its state belongs to.
 */
final class SequenceRun {
  private final LiveSequence live;

  /** Requests that have been accepted and neither executed nor rejected. */
  private int open;

  /** No further request belongs to it. */
  private boolean complete;

  SequenceRun(LiveSequence live) {
    this.live = live;
  }

  /** What a request belongs to that has been queued. */
  static SequenceRun of(Ticket ticket) {
    return (SequenceRun) Objects.requireNonNull(ticket.sequence);
  }

  /** The sequence, which goes on under the same id if it is started again. */
  LiveSequence live() {
    return live;
  }

  void requestAccepted() {
    open++;
  }

  /** A request has been executed or rejected. */
  void requestEnded(SchedulingActions actions) {
    open--;
    endIfOver(actions);
  }

  /** No further request will come. */
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

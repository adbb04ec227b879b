package io.nereid.server.scheduling.policy.simulation;

import io.nereid.request.SequenceId;
import io.nereid.server.scheduling.policy.SchedulingActions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A sequence of a {@link NaiveSequenceBatcher}, and all that is known of it. */
final class NaiveSequence {
  /** From one start to the next. */
  static final class Run {
    final int first;
    int unfinished;
    boolean complete;

    Run(int first) {
      this.first = first;
    }

    void endIfOver(SchedulingActions actions) {
      if (complete && unfinished == 0) {
        actions.ended(first);
      }
    }
  }

  final SequenceId id;
  final List<NaiveRequest> waiting = new ArrayList<>();
  Run run = new Run(-1);
  @Nullable NaiveSlot slot;
  boolean open = true;
  long heardNanos;
  long heardNumber;

  NaiveSequence(SequenceId id) {
    this.id = id;
  }

  /** A start has come. */
  void nextRun(int first, SchedulingActions actions) {
    if (run.first >= 0) {
      complete(actions);
    }
    run = new Run(first);
  }

  /** No request joins it any more. */
  void close(SchedulingActions actions) {
    open = false;
    complete(actions);
  }

  private void complete(SchedulingActions actions) {
    if (!run.complete) {
      run.complete = true;
      run.endIfOver(actions);
    }
  }

  void hear(long now, long number) {
    if (slot != null) {
      heardNanos = now;
      heardNumber = number;
    }
  }

  /** Whether the slot is its own, and it may need it. */
  boolean holds(@Nullable NaiveSlot other) {
    return slot != null && slot.equals(other) && (open || !waiting.isEmpty());
  }

  boolean holdsSlotOf(int instance) {
    return slot != null && slot.instance() == instance && holds(slot);
  }
}

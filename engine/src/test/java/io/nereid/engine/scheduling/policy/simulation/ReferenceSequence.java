package io.nereid.engine.scheduling.policy.simulation;

import io.nereid.engine.scheduling.policy.SchedulingActions;
import io.nereid.engine.scheduling.policy.simulation.ReferenceSlots.Slot;
import io.nereid.request.SequenceId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A sequence of a {@link ReferenceSequenceBatcher}. */
final class ReferenceSequence {
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
  final String client;
  final List<ReferenceRequest> waiting = new ArrayList<>();
  Run run = new Run(-1);
  @Nullable Slot slot;
  boolean open = true;
  long activeNanos;
  long activeNumber;

  ReferenceSequence(SequenceId id, String client) {
    this.id = id;
    this.client = client;
  }

  /** Starts a new run. */
  void nextRun(int first, SchedulingActions actions) {
    if (run.first >= 0) {
      complete(actions);
    }
    run = new Run(first);
  }

  /** Closes the sequence to further requests. */
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

  void touch(long now, long number) {
    if (slot != null) {
      activeNanos = now;
      activeNumber = number;
    }
  }

  /** Whether the sequence occupies that slot. */
  boolean occupies(@Nullable Slot other) {
    return slot != null && slot.equals(other) && (open || !waiting.isEmpty());
  }

  boolean occupiesSlotOf(int instance) {
    return slot != null && slot.instance() == instance && occupies(slot);
  }
}

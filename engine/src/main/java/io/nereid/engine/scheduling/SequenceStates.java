package io.nereid.engine.scheduling;

import io.nereid.engine.execution.batch.ExecutedModel;
import io.nereid.engine.execution.sequence.SequenceState;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The implicit states of the live sequences: from the first batch of a sequence until the policy
 * ends it or the scheduler is closed. The lock is needed only because a scheduler may be closed
 * while an instance's thread reports the end of a batch.
 */
final class SequenceStates implements AutoCloseable {
  private final ExecutedModel model;
  private final IdentityHashMap<Object, SequenceState> states = new IdentityHashMap<>();

  SequenceStates(ExecutedModel model) {
    this.model = model;
  }

  /**
   * Returns the state of a sequence; null if the model has no states.
   *
   * @param sequence the identity that its requests share
   */
  synchronized @Nullable SequenceState of(Object sequence) {
    SequenceState state = states.get(sequence);
    if (state == null) {
      state = model.newState();
      if (state != null) {
        states.put(sequence, state);
      }
    }
    return state;
  }

  /** Frees the state of a sequence that has ended. */
  synchronized void end(Object sequence) {
    SequenceState state = states.remove(sequence);
    if (state != null) {
      state.close();
    }
  }

  /** Frees all states. Called when no request of a sequence is queued or executed. */
  @Override
  public synchronized void close() {
    states.values().forEach(SequenceState::close);
    states.clear();
  }
}

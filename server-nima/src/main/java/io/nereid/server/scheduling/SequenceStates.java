package io.nereid.server.scheduling;

import io.nereid.server.execution.InstanceGroup;
import io.nereid.server.execution.sequence.SequenceState;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The states of the sequences that are under way: from a sequence's first batch until the policy
 * says that it has ended, or the scheduler ends. They change under a lock only because a scheduler
 * may be closed while an instance's thread still tells it that a batch is done.
 */
final class SequenceStates implements AutoCloseable {
  private final InstanceGroup instances;
  private final IdentityHashMap<Object, SequenceState> states = new IdentityHashMap<>();

  SequenceStates(InstanceGroup instances) {
    this.instances = instances;
  }

  /**
   * The state of a sequence, to be lent to a request of it; null if the model has no states.
   *
   * @param sequence the identity that all of its requests share
   */
  synchronized @Nullable SequenceState of(Object sequence) {
    SequenceState state = states.get(sequence);
    if (state == null) {
      state = instances.newState();
      if (state != null) {
        states.put(sequence, state);
      }
    }
    return state;
  }

  /** A sequence has ended. */
  synchronized void end(Object sequence) {
    SequenceState state = states.remove(sequence);
    if (state != null) {
      state.close();
    }
  }

  /** Ends all sequences; once none of their requests is under way any more. */
  @Override
  public synchronized void close() {
    states.values().forEach(SequenceState::close);
    states.clear();
  }
}

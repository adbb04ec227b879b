package io.nereid.engine.execution.sequence;

import io.nereid.config.SequenceSettings.State;
import io.nereid.engine.memory.BufferPool;
import io.nereid.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The states of one sequence, kept from request to request. See "Implicit State Management" in
 * Triton's "user_guide/implicit_state_management.md".
 *
 * <p>Owned by the scheduler, which closes it when the sequence has ended. While a request of the
 * sequence is executed, only the instance's thread uses it; the dispatch of the batch and the
 * report of its end order the accesses. The instance's thread leases the memory when it is first
 * needed.
 */
public final class SequenceState implements AutoCloseable {
  private final List<StateBuffer> buffers = new ArrayList<>();

  /**
   * Creates the states of a new sequence.
   *
   * @param initial the initial values, by input name
   */
  public SequenceState(List<State> states, Map<String, Tensor> initial, BufferPool pool) {
    for (State state : states) {
      buffers.add(
          new StateBuffer(state, Objects.requireNonNull(initial.get(state.inputName())), pool));
    }
  }

  public List<StateBuffer> buffers() {
    return buffers;
  }

  /** The state with that input name; null if the model declares none. */
  public @Nullable StateBuffer input(String name) {
    return find(name, State::inputName);
  }

  /** The state with that output name; null if the model declares none. */
  public @Nullable StateBuffer output(String name) {
    return find(name, State::outputName);
  }

  private @Nullable StateBuffer find(String name, Function<State, String> nameOf) {
    for (StateBuffer buffer : buffers) {
      if (nameOf.apply(buffer.declared()).equals(name)) {
        return buffer;
      }
    }
    return null;
  }

  /** Has the next request read what the executed request wrote. */
  public void commit() {
    buffers.forEach(StateBuffer::commit);
  }

  /** Has the next request read what the failed request read. */
  public void rollBack() {
    buffers.forEach(StateBuffer::rollBack);
  }

  @Override
  public void close() {
    buffers.forEach(StateBuffer::close);
  }
}

package io.nereid.server.execution.sequence;

import io.nereid.config.SequenceSettings.State;
import io.nereid.server.memory.BufferPool;
import io.nereid.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What one sequence carries from request to request, by the states that its model declares.
 *
 * <p>Owned by the scheduler, which closes it when the sequence is over. While a request of the
 * sequence is executed it is lent to the instance's thread, which alone touches it then; the
 * hand-over of the batch and the report of its end order the two. Memory is leased when it is first
 * needed, by the instance's thread.
 */
public final class SequenceState implements AutoCloseable {
  private final List<StateBuffer> buffers = new ArrayList<>();

  /**
   * What a new sequence has.
   *
   * @param initial by the name of the state's input
   */
  public SequenceState(List<State> states, Map<String, Tensor> initial, BufferPool pool) {
    for (State state : states) {
      buffers.add(
          new StateBuffer(state, Objects.requireNonNull(initial.get(state.inputName())), pool));
    }
  }

  /** The state that the model reads under that name; null if it declares no such state. */
  public @Nullable StateBuffer input(String name) {
    for (StateBuffer buffer : buffers) {
      if (buffer.declared().inputName().equals(name)) {
        return buffer;
      }
    }
    return null;
  }

  /** The state that the model writes under that name; null if it declares no such state. */
  public @Nullable StateBuffer output(String name) {
    for (StateBuffer buffer : buffers) {
      if (buffer.declared().outputName().equals(name)) {
        return buffer;
      }
    }
    return null;
  }

  /** The request was executed: what it wrote is what the next one reads. */
  public void commit() {
    buffers.forEach(StateBuffer::commit);
  }

  /** The request failed: the next one reads what it read. */
  public void rollBack() {
    buffers.forEach(StateBuffer::rollBack);
  }

  @Override
  public void close() {
    buffers.forEach(StateBuffer::close);
  }
}

package io.nereid.engine.execution.batch;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Control;
import io.nereid.config.SequenceSettings.State;
import io.nereid.engine.execution.output.DeclaredOutput;
import io.nereid.engine.execution.output.DeclaredOutputs;
import io.nereid.engine.execution.sequence.ControlInput;
import io.nereid.engine.execution.sequence.PaddingRequests;
import io.nereid.engine.execution.sequence.SequenceState;
import io.nereid.engine.execution.sequence.StateBuffer;
import io.nereid.engine.execution.sequence.ZeroMemory;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.error.InferenceException;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tensors that an instance of a sequence model reads besides the inputs of requests: controls,
 * states, and the inputs of padding rows. Used by the instance's thread.
 */
final class SequenceTensors implements AutoCloseable {
  private final ModelConfig config;
  private final SequenceSettings settings;
  private final BufferPool pool;
  private final DispatchedBatch dispatched;
  private final ZeroMemory zeros;
  private final PaddingRequests padding;
  private final List<ControlInput> controls = new ArrayList<>();

  /** Memory for states that are dropped; freed after the execution. */
  private final List<Lease> droppedStates = new ArrayList<>(0);

  /**
   * Creates the tensors; memory is leased when an execution first needs it.
   *
   * @param dispatched the instance's batch
   */
  SequenceTensors(
      ModelConfig config, SequenceSettings settings, DispatchedBatch dispatched, BufferPool pool) {
    this.config = config;
    this.settings = settings;
    this.pool = pool;
    this.dispatched = dispatched;
    this.zeros = new ZeroMemory(pool);
    this.padding = new PaddingRequests(config, zeros);
    for (Control control : settings.controls()) {
      controls.add(new ControlInput(control, config.batches(), pool));
    }
  }

  /** Sets the inputs of the padding rows; called before the batch is executed. */
  void fillPadding() {
    for (int row = 0; row < rows(); row++) {
      if (dispatched.isPadding(row)) {
        dispatched
            .requests()
            .set(row, padding.like(dispatched.requests().get(firstRequest()).request()));
      }
    }
  }

  /** The control or state of a row; null if the model declares none of that name. */
  @Nullable Tensor input(int row, String name) {
    ControlInput control = control(name);
    if (control != null) {
      return control.of(dispatched.request(row), row, rows());
    }
    return declares(name) ? state(row, name) : null;
  }

  /** A control of all rows in one tensor; null if the model declares none of that name. */
  @Nullable Tensor gatheredControl(String name, GatherBuffers buffers) {
    ControlInput control = control(name);
    if (control == null) {
      return null;
    }
    long byteSize = 0;
    for (int row = 0; row < rows(); row++) {
      byteSize += control.byteSize(dispatched.request(row));
    }
    MemorySegment column = buffers.buffer(name, byteSize);
    long offset = 0;
    for (int row = 0; row < rows(); row++) {
      offset = control.put(dispatched.request(row), column, offset);
    }
    return control.column(rows(), column);
  }

  /** The state of a row's sequence that is read under that input name. */
  Tensor state(int row, String inputName) {
    if (dispatched.isPadding(row)) {
      return zeros.like(state(firstRequest(), inputName));
    }
    SequenceState states = dispatched.state(row);
    StateBuffer buffer = states == null ? null : states.input(inputName);
    if (buffer == null) {
      throw unknownState(config, inputName);
    }
    return buffer.current();
  }

  /** Memory for the state that the next request of a row's sequence reads. */
  MemorySegment allocateState(
      int row, String outputName, DataType dataType, Shape shape, long byteSize) {
    if (dispatched.isPadding(row)) {
      return allocateDropped(byteSize);
    }
    SequenceState states = dispatched.state(row);
    StateBuffer buffer = states == null ? null : states.output(outputName);
    if (buffer == null) {
      throw unknownState(config, outputName);
    }
    return buffer.allocate(dataType, shape, byteSize);
  }

  /** Memory for a state that no request reads. */
  MemorySegment allocateDropped(long byteSize) {
    if (byteSize < 0) {
      throw InferenceException.internal(
          "model '%s': a state has no size of %d bytes".formatted(config.name(), byteSize));
    }
    Lease lease = pool.lease(byteSize);
    droppedStates.add(lease);
    return lease.segment();
  }

  /** Whether a row has written a state in this execution. */
  boolean isWritten(int row, String outputName) {
    SequenceState states = dispatched.state(row);
    StateBuffer buffer = states == null ? null : states.output(outputName);
    return buffer != null && buffer.written() != null;
  }

  /** The failure of a state that a row has written; null if all are right. */
  @Nullable InferenceException checkContents(int row, DeclaredOutputs outputs) {
    SequenceState states = dispatched.state(row);
    InferenceException wrong = null;
    for (StateBuffer buffer : states == null ? List.<StateBuffer>of() : states.buffers()) {
      Tensor written = buffer.written();
      DeclaredOutput declared = outputs.state(buffer.declared().outputName());
      if (wrong == null && written != null && declared != null) {
        wrong = declared.checkContent(written.shape(), written.data());
      }
    }
    return wrong;
  }

  /** The failure of a call that names a state which the model does not declare. */
  static InferenceException unknownState(ModelConfig config, String name) {
    boolean none = config.sequence().map(SequenceSettings::states).orElse(List.of()).isEmpty();
    return InferenceException.invalid(
        none
            ? "unable to add state '%s'. State configuration is missing for model '%s'."
                .formatted(name, config.name())
            : "state '%s' is not a valid state name.".formatted(name));
  }

  /** Commits or rolls back the states of a row, before the next request of its sequence runs. */
  void end(int row, boolean succeeded) {
    SequenceState states = dispatched.state(row);
    if (states != null && succeeded) {
      states.commit();
    } else if (states != null) {
      states.rollBack();
    }
  }

  /** Frees the memory of this execution alone. */
  void endExecution() {
    droppedStates.forEach(Lease::close);
    droppedStates.clear();
  }

  private int rows() {
    return dispatched.requests().size();
  }

  /** The first row with a request; every batch has one. */
  private int firstRequest() {
    int row = 0;
    while (dispatched.isPadding(row)) {
      row++;
    }
    return row;
  }

  private @Nullable ControlInput control(String name) {
    for (ControlInput control : controls) {
      if (control.name().equals(name)) {
        return control;
      }
    }
    return null;
  }

  private boolean declares(String stateInput) {
    for (State state : settings.states()) {
      if (state.inputName().equals(stateInput)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void close() {
    zeros.close();
    controls.forEach(ControlInput::close);
  }
}

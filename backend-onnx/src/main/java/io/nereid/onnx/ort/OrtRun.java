package io.nereid.onnx.ort;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.nereid.tensor.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A reusable run of a session: {@link #begin}, then inputs and outputs, then {@link #run}. Its
 * buffers are allocated once, so a run with the same shapes as the last allocates nothing on the
 * Java heap.
 *
 * <p>Inputs and outputs have positions: those in {@link OrtSession#inputs} followed by {@link
 * OrtSession#initializers}, and those in {@link OrtSession#outputs}. All methods except {@link
 * #terminate} and {@link #isTerminated} are called by one thread at a time.
 */
public final class OrtRun implements AutoCloseable {
  private static final int MAX_RANK = 64;

  private final OrtApi api;
  private final OrtSession session;
  private final OrtHandle options;
  private final Arena arena = Arena.ofShared(); // used by one thread at a time, not always the same
  private final MemorySegment scratch = arena.allocate(JAVA_LONG, MAX_RANK + 1);
  private final List<OrtSlot> inputs;
  private final List<OrtSlot> outputs;
  private final MemorySegment inputNames;
  private final MemorySegment inputValues;
  private final MemorySegment outputNames;
  private final MemorySegment outputValues;
  private final int[] chosen;
  private int inputCount;
  private int outputCount;
  private volatile boolean terminated;

  /**
   * @throws IllegalStateException if the session is closed
   */
  OrtRun(OrtSession session) {
    session.requireOpen();
    this.session = session;
    this.api = session.environment().api();
    this.options =
        new OrtHandle(api, OrtHandle.Kind.RUN_OPTIONS, api.create(OrtApi.CREATE_RUN_OPTIONS));
    // A run reports its failures by status. What else it logs a client could cause at will.
    api.call(OrtApi.RUN_OPTIONS_SET_RUN_LOG_SEVERITY_LEVEL, options.address(), OrtLog.FATAL);
    var all = new ArrayList<>(session.inputs());
    all.addAll(session.initializers());
    this.inputs = slots(all);
    this.outputs = slots(session.outputs());
    this.inputNames = words(inputs);
    this.inputValues = words(inputs);
    this.outputNames = words(outputs);
    this.outputValues = words(outputs);
    this.chosen = new int[outputs.size()];
  }

  private List<OrtSlot> slots(List<OrtTensorInfo> infos) {
    long memory = session.environment().cpuMemory();
    return infos.stream()
        .map(info -> new OrtSlot(api, memory, arena.allocateFrom(info.name()).address()))
        .toList();
  }

  private MemorySegment words(List<OrtSlot> slots) {
    return arena.allocate(JAVA_LONG, Math.max(1, slots.size()));
  }

  /** Sets an entry of {@code onnxruntime_run_options_config_keys.h} for all runs. */
  public void entry(String key, String value) {
    try (var strings = Arena.ofConfined()) {
      api.call(
          OrtApi.ADD_RUN_CONFIG_ENTRY,
          options.address(),
          strings.allocateFrom(key).address(),
          strings.allocateFrom(value).address());
    }
  }

  /** Removes all inputs and outputs. */
  public void clear() {
    drop();
    inputCount = 0;
    outputCount = 0;
  }

  /** Removes all outputs. */
  public void clearOutputs() {
    outputs.forEach(OrtSlot::dropHeld);
    outputCount = 0;
  }

  /** Removes all inputs and outputs, and resets a termination. */
  public void begin() {
    clear();
    if (terminated) {
      terminated = false;
      api.call(OrtApi.RUN_OPTIONS_UNSET_TERMINATE, options.address());
    }
  }

  /**
   * Adds an input in place.
   *
   * @param data native memory, valid until {@link #run} returns; it is only read
   */
  public void input(int index, MemorySegment data, int elementType, Shape shape) {
    OrtSlot slot = inputs.get(index);
    add(slot, slot.over(checked(data, shape), elementType, shape, scratch));
  }

  /**
   * Adds an input of strings, which are copied.
   *
   * @param data as many elements as {@code shape} has, in the layout of {@link
   *     io.nereid.tensor.BytesElements}
   */
  public void strings(int index, MemorySegment data, Shape shape) {
    OrtSlot slot = inputs.get(index);
    add(slot, slot.holding(OrtStrings.create(api, data, shape)));
  }

  private void add(OrtSlot slot, long value) {
    inputNames.setAtIndex(JAVA_LONG, inputCount, slot.name());
    inputValues.setAtIndex(JAVA_LONG, inputCount, value);
    inputCount++;
  }

  /**
   * Requests an output in place.
   *
   * @param memory native memory of exactly the output's size, valid until {@link #run} returns
   */
  public void output(int index, MemorySegment memory, int elementType, Shape shape) {
    OrtSlot slot = outputs.get(index);
    ask(index, slot.over(checked(memory, shape), elementType, shape, scratch));
  }

  /** Requests an output that ONNX Runtime allocates, for {@link #take} after the run. */
  public void output(int index) {
    outputs.get(index).holding(0);
    ask(index, 0);
  }

  private void ask(int index, long value) {
    outputNames.setAtIndex(JAVA_LONG, outputCount, outputs.get(index).name());
    outputValues.setAtIndex(JAVA_LONG, outputCount, value);
    chosen[outputCount] = index;
    outputCount++;
  }

  /**
   * Computes the requested outputs.
   *
   * @throws OrtException if the run fails or is terminated
   */
  public void run() {
    api.run(
        session.address(),
        options.address(),
        inputNames.address(),
        inputValues.address(),
        inputCount,
        outputNames.address(),
        outputCount,
        outputValues.address());
    for (int i = 0; i < outputCount; i++) {
      OrtSlot slot = outputs.get(chosen[i]);
      if (!slot.isOver()) {
        slot.holding(outputValues.getAtIndex(JAVA_LONG, i));
      }
    }
  }

  /** Takes an output that ONNX Runtime allocated. The caller owns it. At most once per run. */
  public OrtValue take(int index) {
    return new OrtValue(api, outputs.get(index).take());
  }

  /**
   * Makes the current run, or else the next one, fail soon. Any thread may call it until {@link
   * #close}.
   */
  public void terminate() {
    terminated = true;
    api.call(OrtApi.RUN_OPTIONS_SET_TERMINATE, options.address());
  }

  /** Whether {@link #terminate} was called since {@link #begin}. */
  public boolean isTerminated() {
    return terminated;
  }

  private static MemorySegment checked(MemorySegment data, Shape shape) {
    if (!data.isNative() || shape.rank() > MAX_RANK) {
      throw new IllegalArgumentException("not native, or too many dimensions: " + shape);
    }
    return data;
  }

  private void drop() {
    for (int i = 0; i < inputs.size(); i++) {
      inputs.get(i).dropHeld();
    }
    for (int i = 0; i < outputs.size(); i++) {
      outputs.get(i).dropHeld();
    }
  }

  @Override
  public void close() {
    inputs.forEach(OrtSlot::close);
    outputs.forEach(OrtSlot::close);
    options.close();
    arena.close();
  }
}

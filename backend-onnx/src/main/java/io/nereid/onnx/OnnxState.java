package io.nereid.onnx;

import io.nereid.config.SequenceSettings.State;
import io.nereid.onnx.ort.OrtRun;
import io.nereid.onnx.ort.OrtValue;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A state that the model writes, bound to its place in a run. Each request's sequence gets a copy
 * of its rows. Where the configuration lists the state as an output too, who asks for it gets it.
 */
final class OnnxState {
  private final String model;
  private final boolean batches;
  private final int index;
  private final State state;
  private final Optional<OnnxOutput> output;

  /**
   * @param index its place in the run
   * @param output the same tensor, where the configuration lists it
   */
  OnnxState(String model, boolean batches, int index, State state, Optional<OnnxOutput> output) {
    this.model = model;
    this.batches = batches;
    this.index = index;
    this.state = state;
    this.output = output;
  }

  /** Asks the run for it, whether a client wants it or not. */
  void ask(OrtRun run) {
    run.output(index);
  }

  /** Hands each sequence its state once the run is done. */
  void deliver(RunScope scope, @Nullable Shape[] given, long rows, OrtRun run) {
    OrtValue value = run.take(index);
    boolean kept = false;
    try {
      commit(scope, rows, value);
      if (output.isPresent() && scope.wants(state.outputName())) {
        kept = true;
        output.get().hand(scope, given, rows, value);
      }
    } finally {
      if (!kept) {
        value.close();
      }
    }
  }

  private void commit(RunScope scope, long rows, OrtValue value) {
    Shape shape = value.shape();
    if (batches) {
      OnnxOutput.requireRows(model, state.outputName(), shape, rows);
    }
    long perRow = batches ? shape.withoutLeading().elementCount() : shape.elementCount();
    if (state.dataType() == DataType.BYTES) {
      long[] counts = new long[scope.size()];
      for (int part = 0; part < counts.length; part++) {
        counts[part] = scope.rows(part) * perRow;
      }
      value.copyStrings(counts, (part, byteSize) -> target(scope, part, shape, byteSize));
      return;
    }
    MemorySegment data = value.data();
    long offset = 0;
    for (int part = 0; part < scope.size(); part++) {
      long byteSize = scope.rows(part) * perRow * state.dataType().byteSize();
      if (!scope.isPadding(part)) {
        Elements.copy(data.asSlice(offset, byteSize), target(scope, part, shape, byteSize));
      }
      offset += byteSize;
    }
  }

  private MemorySegment target(RunScope scope, int part, Shape whole, long byteSize) {
    if (scope.isPadding(part)) { // has no sequence
      return MemorySegment.ofArray(new byte[Math.toIntExact(byteSize)]);
    }
    // A scalar of the model is one element in the configuration.
    Shape own = whole.rank() == 0 ? state.dims() : whole;
    return scope.allocateState(
        part,
        state.outputName(),
        state.dataType(),
        batches ? whole.withFirst(scope.rows(part)) : own,
        byteSize);
  }
}

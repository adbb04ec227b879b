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
 * A state that the model writes. After a run, the rows of each request are copied to the state of
 * its sequence. If the configuration lists the state as an output, clients may request it too.
 *
 * @param index its position in a run
 * @param output the same tensor as an output, if the configuration lists it
 */
record OnnxState(
    String model, boolean batches, int index, State state, Optional<OnnxOutput> output) {
  /** Requests the state from the run, whether or not a client wants it. */
  void ask(OrtRun run) {
    run.output(index);
  }

  /** Copies the new states to their sequences after the run. */
  void deliver(RunScope scope, @Nullable Shape[] given, long rows, OrtRun run) {
    OrtValue value = run.take(index);
    boolean kept = false;
    try {
      commit(scope, rows, value);
      if (output.isPresent() && scope.wants(state.outputName())) {
        kept = true;
        output.get().deliver(scope, given, rows, value);
      }
    } finally {
      if (!kept) {
        value.close();
      }
    }
  }

  private void commit(RunScope scope, long rows, OrtValue value) {
    Shape shape = value.shape();
    if (batches && (shape.rank() == 0 || shape.dim(0) != rows)) {
      throw OnnxOutput.wrongRows(model, state.outputName(), shape, rows);
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
    // Configurations have no scalars: they declare one element.
    Shape own = whole.rank() == 0 ? state.dims() : whole;
    return scope.allocateState(
        part,
        state.outputName(),
        state.dataType(),
        batches ? whole.withFirst(scope.rows(part)) : own,
        byteSize);
  }
}

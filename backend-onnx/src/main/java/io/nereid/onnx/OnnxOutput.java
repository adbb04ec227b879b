package io.nereid.onnx;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.onnx.ort.OrtRun;
import io.nereid.onnx.ort.OrtTensorInfo;
import io.nereid.onnx.ort.OrtValue;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One output of the model, bound to its place in a run.
 *
 * <p>If its dimensions are fixed, or named like a dimension of an input, its shape is known before
 * the run, and ONNX Runtime writes straight into the response. A file may lie, though (ONNX Runtime
 * itself only warns), so the first run lets it allocate and compares: from then on the prediction
 * is used, or never.
 */
final class OnnxOutput {
  /** What is thought of {@link #predict}. */
  private enum Trust {
    UNTESTED,
    PROVEN,
    DISPROVEN
  }

  private final int index;
  private final TensorConfig config;
  private final String model;
  private final boolean batches;

  /** Whether the server cuts it up by the shapes of an input, not by rows. */
  private final boolean scattered;

  private final OrtTensorInfo info;
  private final int[] sourceInput;
  private final int[] sourceAxis;
  private final long[] dims;
  private Trust trust;
  private Shape predicted = Shape.of();
  private boolean inPlace;

  OnnxOutput(
      ModelConfig model,
      int index,
      TensorConfig config,
      OrtTensorInfo info,
      List<OnnxInput> inputs) {
    this.model = model.name();
    this.batches = model.batches();
    this.scattered = model.batchOutput(config.name()).isPresent();
    this.index = index;
    this.config = config;
    this.info = info;
    int rank = info.dims().rank();
    this.dims = info.dims().dims();
    this.sourceInput = new int[rank];
    this.sourceAxis = new int[rank];
    boolean predictable = config.dataType() != DataType.BYTES && rank > 0;
    for (int axis = 0; axis < rank; axis++) {
      predictable &= dims[axis] >= 0 || findSource(axis, inputs);
    }
    this.trust = predictable ? Trust.UNTESTED : Trust.DISPROVEN;
  }

  private boolean findSource(int axis, List<OnnxInput> inputs) {
    String symbol = info.symbols().get(axis);
    for (int i = 0; i < inputs.size() && !symbol.isEmpty(); i++) {
      int found = inputs.get(i).info().symbols().indexOf(symbol);
      if (found >= 0) {
        sourceInput[axis] = i;
        sourceAxis[axis] = found;
        return true;
      }
    }
    return false;
  }

  String name() {
    return config.name();
  }

  /**
   * Asks the run for this output.
   *
   * @param given shape of each input in this run; null where a request left it out
   */
  void ask(RunScope scope, @Nullable Shape[] given, OrtRun run) {
    inPlace = trust == Trust.PROVEN && predict(given);
    if (inPlace) {
      run.output(
          index,
          scope.allocate(name(), config.dataType(), predicted),
          info.elementType(),
          predicted);
    } else {
      run.output(index);
    }
  }

  /** Hands the output over once the run is done, unless it is in its place already. */
  void deliver(RunScope scope, @Nullable Shape[] given, long rows, OrtRun run) {
    if (!inPlace) {
      hand(scope, given, rows, run.take(index));
    }
  }

  /** Hands over what the run has made of this output. Takes the value. */
  void hand(RunScope scope, @Nullable Shape[] given, long rows, OrtValue value) {
    boolean kept = false;
    try {
      Shape shape = value.shape();
      if (trust == Trust.UNTESTED) {
        trust = predict(given) && predicted.equals(shape) ? Trust.PROVEN : Trust.DISPROVEN;
      }
      if (batches && !scattered) {
        requireRows(model, name(), shape, rows);
      }
      if (config.dataType() == DataType.BYTES) {
        deliverStrings(scope, value);
      } else {
        // A scalar of the model is one element in the configuration.
        Shape shown = shape.rank() == 0 ? config.modelSpec(0).shape() : shape;
        var tensor = new Tensor(name(), config.dataType(), shown, value.data());
        kept = true;
        scope.give(tensor, value::close);
      }
    } finally {
      if (!kept) {
        value.close();
      }
    }
  }

  /** A run failed that may have had this output in place: the shape is to be proven again. */
  void doubt() {
    if (trust == Trust.PROVEN) {
      trust = Trust.UNTESTED;
    }
  }

  /** Fails if an output of a batching model has fewer rows than were run. */
  static void requireRows(String model, String output, Shape shape, long rows) {
    if (shape.rank() == 0 || shape.dim(0) < rows) {
      throw InferenceException.internal(
          "model '%s', output '%s': %d rows were run, but its shape is %s"
              .formatted(model, output, rows, shape));
    }
  }

  private void deliverStrings(RunScope scope, OrtValue value) {
    Shape shape = value.shape();
    if (!batches) {
      Shape shown = shape.rank() == 0 ? config.modelSpec(0).shape() : shape;
      value.copyStrings(
          new long[] {shape.elementCount()},
          (part, byteSize) -> scope.allocateStrings(part, name(), shown, byteSize));
      return;
    }
    long[] counts = new long[scope.size()];
    long perRow = shape.withoutLeading().elementCount();
    for (int part = 0; part < counts.length; part++) {
      counts[part] = scope.rows(part) * perRow;
    }
    value.copyStrings(
        counts,
        (part, byteSize) ->
            scope.allocateStrings(part, name(), shape.withFirst(scope.rows(part)), byteSize));
  }

  /** Works out {@link #predicted}; a new shape only if it differs from the last. */
  private boolean predict(@Nullable Shape[] given) {
    boolean same = predicted.rank() == dims.length;
    for (int axis = 0; axis < dims.length; axis++) {
      if (info.dims().dim(axis) < 0) {
        Shape source = given[sourceInput[axis]];
        if (source == null) {
          return false;
        }
        dims[axis] = source.dim(sourceAxis[axis]);
      }
      same = same && predicted.dim(axis) == dims[axis];
    }
    if (!same) {
      predicted = Shape.of(dims);
    }
    return true;
  }
}

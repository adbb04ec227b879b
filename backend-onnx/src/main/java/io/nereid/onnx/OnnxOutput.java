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
 * An output of the model.
 *
 * <p>If every dimension is fixed or has the name of an input's dimension, the shape is predicted
 * before the run, and ONNX Runtime writes directly into the response. The declaration in the file
 * may be wrong (ONNX Runtime only warns), so in the first run ONNX Runtime allocates the output and
 * its shape is compared with the prediction. Later runs use the prediction only if it was right; if
 * one of them fails because it is wrong, the output is {@linkplain #unbind tested again}.
 */
final class OnnxOutput {
  /** Whether {@link #predict} is right for this output. */
  private enum Prediction {
    UNTESTED,
    RIGHT,
    WRONG
  }

  private final int index;
  private final TensorConfig config;
  private final String model;
  private final boolean batches;

  /** Whether the server splits it by the shapes of an input instead of by rows. */
  private final boolean scattered;

  /** What clients see of a scalar, which configurations declare as one element. */
  private final Shape scalar;

  private final OrtTensorInfo info;
  private final int[] sourceInput;
  private final int[] sourceAxis;
  private final long[] dims;
  private Prediction prediction;
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
    Shape declared = config.modelSpec(0).shape();
    this.scalar = declared.isConcrete() && declared.elementCount() == 1 ? declared : Shape.of();
    this.info = info;
    int rank = info.dims().rank();
    this.dims = info.dims().dims();
    this.sourceInput = new int[rank];
    this.sourceAxis = new int[rank];
    boolean predictable = config.dataType() != DataType.BYTES && rank > 0;
    for (int axis = 0; axis < rank; axis++) {
      predictable &= dims[axis] >= 0 || findSource(axis, inputs);
    }
    this.prediction = predictable ? Prediction.UNTESTED : Prediction.WRONG;
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
   * Requests this output from the run.
   *
   * @param given shape of each input in this run; null if the request left it out
   */
  void ask(RunScope scope, @Nullable Shape[] given, long rows, OrtRun run) {
    inPlace = prediction == Prediction.RIGHT && predict(given) && hasRows(predicted, rows);
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

  /** Passes the output to the results after the run, unless it was written there directly. */
  void deliver(RunScope scope, @Nullable Shape[] given, long rows, OrtRun run) {
    if (!inPlace) {
      deliver(scope, given, rows, run.take(index));
    }
  }

  /** Passes a value of this output to the results. Takes the value. */
  void deliver(RunScope scope, @Nullable Shape[] given, long rows, OrtValue value) {
    boolean kept = false;
    try {
      Shape shape = value.shape();
      if (prediction == Prediction.UNTESTED) {
        prediction =
            predict(given) && predicted.equals(shape) ? Prediction.RIGHT : Prediction.WRONG;
      }
      if (!hasRows(shape, rows)) {
        throw wrongRows(model, name(), shape, rows);
      }
      if (config.dataType() == DataType.BYTES) {
        deliverStrings(scope, value);
      } else {
        Shape shown = shape.rank() == 0 ? scalar : shape;
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

  /**
   * Drops the memory of the predicted shape after a run that has failed because of one. The next
   * run tests the prediction again, which is given up if it is wrong.
   *
   * @return whether there was such memory, so that the run can be repeated without it
   */
  boolean unbind(RunScope scope) {
    if (inPlace) {
      scope.drop(name());
      prediction = Prediction.UNTESTED;
    }
    return inPlace;
  }

  /** Whether a shape has the rows of the batch, if it is split by them. */
  private boolean hasRows(Shape shape, long rows) {
    return !batches || scattered || (shape.rank() > 0 && shape.dim(0) == rows);
  }

  /** The failure of an output of a batching model that has other rows than the batch. */
  static InferenceException wrongRows(String model, String output, Shape shape, long rows) {
    return InferenceException.internal(
        "model '%s', output '%s': %d rows were run, but its shape is %s"
            .formatted(model, output, rows, shape));
  }

  private void deliverStrings(RunScope scope, OrtValue value) {
    Shape shape = value.shape();
    if (!batches) {
      Shape shown = shape.rank() == 0 ? scalar : shape;
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

  /** Sets {@link #predicted}, or returns false if a request left a needed input out. */
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

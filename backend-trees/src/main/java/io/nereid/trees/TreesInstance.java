package io.nereid.trees;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.Batch;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import io.nereid.trees.forest.Ensemble;
import io.nereid.trees.forest.ForestShap;
import io.nereid.trees.forest.ForestWalk;
import io.nereid.trees.forest.PathWeights;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An instance: its own memory for a block of rows, and the model's trees. One thread at a time.
 *
 * <p>A batch goes through in blocks: the margins of a block, then the values of each output that a
 * request wants.
 */
final class TreesInstance implements ModelInstance {
  private final ModelConfig config;
  private final String input;
  private final @Nullable FeatureColumns columns;
  private final Ensemble model;
  private final ForestWalk walk;
  private final @Nullable ForestShap shap;
  private final double[] margins;
  private final double[] row;
  private final double threshold;
  private final List<Output> outputs;

  /**
   * @param paths null if no output has contributions
   */
  TreesInstance(ModelConfig config, Ensemble model, @Nullable PathWeights paths) {
    this.config = config;
    this.model = model;
    input = config.inputs().getFirst().name();
    columns = FeatureColumns.areInputs(config) ? new FeatureColumns(config, model) : null;
    walk = new ForestWalk(model);
    shap = paths == null ? null : new ForestShap(model, paths, walk);
    margins = new double[walk.maxRows() * model.outputs()];
    row = new double[Math.max(2, model.outputs())]; // two for the classes of a binary classifier
    var signature = new TreesSignature(config, model);
    threshold = signature.threshold();
    outputs =
        config.outputs().stream().map(output -> new Output(output, signature, model)).toList();
  }

  /** An output and where it is written to, while a batch is executed. */
  private static final class Output {
    final TensorConfig config;
    final OutputKind kind;
    final int width;
    final int skipped;
    final Shape ofRow;
    @Nullable MemorySegment target;

    Output(TensorConfig config, TreesSignature signature, Ensemble model) {
      this.config = config;
      kind = signature.kind(config);
      ofRow = signature.rowShape(config);
      width = (int) ofRow.elementCount();
      skipped = kind.width(model) - width; // class 0 of two
    }
  }

  @Override
  public void execute(Batch batch, Results results) {
    Tensor rows = columns == null ? gathered(batch) : columns.rows(batch, results);
    long count = rowsOf(rows);
    for (Output output : outputs) {
      output.target =
          results.wants(output.config.name()) ? allocate(results, output, rows.shape()) : null;
    }
    results.computeStarted();
    try {
      if (isSameForAll(batch)) {
        predict(batch, model, rows.data(), 0, count);
      } else {
        predictEach(batch, results, rows.data(), count);
      }
    } finally {
      outputs.forEach(output -> output.target = null);
    }
    results.computeEnded();
  }

  private Tensor gathered(Batch batch) {
    return batch
        .gathered(input)
        .orElseThrow(() -> InferenceException.invalid("no input '%s'".formatted(input)));
  }

  private static boolean isSameForAll(Batch batch) {
    for (int i = 0; i < batch.size(); i++) {
      if (!batch.request(i).options().parameters().isEmpty()) {
        return false;
      }
    }
    return true;
  }

  /** Each request may say which iterations to use. */
  private void predictEach(Batch batch, Results results, MemorySegment rows, long count) {
    long first = 0;
    for (int i = 0; i < batch.size(); i++) {
      long end = batch.size() == 1 ? count : first + batch.request(i).rows(config);
      Ensemble used = used(batch, i, results);
      if (used != null) {
        predict(batch, used, rows, first, end);
      }
      first = end;
    }
  }

  /** The model with the iterations that a request says; null if the request has failed. */
  private @Nullable Ensemble used(Batch batch, int request, Results results) {
    if (columns != null && columns.hasFailed(request)) {
      return null;
    }
    try {
      return IterationRange.requested(model, batch.request(request).options().parameters());
    } catch (InferenceException wrong) {
      String message = "model '%s': %s".formatted(config.name(), wrong.getMessage());
      results.fail(request, InferenceException.invalid(message));
      return null;
    }
  }

  private void predict(Batch batch, Ensemble used, MemorySegment rows, long from, long end) {
    for (long first = from; first < end; first += walk.maxRows()) {
      if (batch.isCancelled()) {
        throw InferenceException.cancelled();
      }
      int block = (int) Math.min(walk.maxRows(), end - first);
      walk.margins(used, rows, first, block, margins);
      for (Output output : outputs) {
        MemorySegment target = output.target;
        if (target != null && output.kind == OutputKind.CONTRIBUTIONS) {
          explain(output, used, target, first, block);
        } else if (target != null) {
          write(output, used, target, first, block);
        }
      }
    }
  }

  /** A shape without batch may have any last dimension. */
  private long rowsOf(Tensor rows) {
    Shape shape = rows.shape();
    long last = shape.dim(shape.rank() - 1);
    if (last != model.features().count()) {
      throw InferenceException.invalid(
          "input '%s' has the shape %s, which must have %d features"
              .formatted(input, shape, model.features().count()));
    }
    return shape.elementCount() / model.features().count();
  }

  private static MemorySegment allocate(Results results, Output output, Shape rows) {
    Shape shape = rows.rank() == 1 ? output.ofRow : output.ofRow.withLeading(rows.dim(0));
    return results.allocateBatch(output.config.name(), output.config.dataType(), shape);
  }

  private void write(Output output, Ensemble used, MemorySegment target, long first, int block) {
    int width = output.width;
    for (int i = 0; i < block; i++) {
      output.kind.write(used, threshold, margins, i * model.outputs(), row);
      long at = (first + i) * width;
      for (int k = 0; k < width; k++) {
        set(output.config.dataType(), target, at + k, row[output.skipped + k]);
      }
    }
  }

  private void explain(Output output, Ensemble used, MemorySegment target, long first, int block) {
    DataType type = output.config.dataType();
    int width = model.features().count() + 1;
    ForestShap shap = Objects.requireNonNull(this.shap);
    target
        .asSlice(
            first * output.width * type.byteSize(), (long) block * output.width * type.byteSize())
        .fill((byte) 0); // features that no tree uses
    for (int from = 0; from < block; from += shap.maxRows()) {
      long row = first + from;
      shap.contributions(
          used,
          from,
          Math.min(shap.maxRows(), block - from),
          (each, k, feature, value) ->
              set(type, target, (row + each) * output.width + (long) k * width + feature, value));
    }
  }

  private static void set(DataType type, MemorySegment target, long index, double value) {
    switch (type) {
      case FP32 -> target.set(Elements.FLOAT, index * Float.BYTES, (float) value);
      case FP64 -> target.set(Elements.DOUBLE, index * Double.BYTES, value);
      case INT32 -> target.set(Elements.INT, index * Integer.BYTES, (int) value);
      case INT64 -> target.set(Elements.LONG, index * Long.BYTES, (long) value);
      case BOOL, UINT8, UINT16, UINT32, UINT64, INT8, INT16, FP16, BYTES, BF16 ->
          throw new IllegalStateException(type.name());
    }
  }

  /** Nothing of an execution is bound to a thread. */
  @Override
  public boolean runsOnAnyThread() {
    return true;
  }

  /** A row takes one way through each tree. */
  @Override
  public boolean hasBoundedTime() {
    return true;
  }

  @Override
  public void close() {
    if (columns != null) {
      columns.close();
    }
  }
}

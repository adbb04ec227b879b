package io.nereid.trees;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.Batch;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import io.nereid.trees.forest.Categories;
import io.nereid.trees.forest.Ensemble;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The inputs of a model that has one for each feature, named as its file names them, and the rows
 * of features that they make. An input that a request does not have is missing in all its rows. It
 * belongs to one instance, which closes it.
 *
 * <p>A category is given as the file stores it, a text or a number; an empty text is missing.
 */
final class FeatureColumns implements AutoCloseable {
  /** {@code true} if a model has an input for each feature. */
  private static final String PARAMETER = "columns";

  /** The inputs that a message names. */
  private static final int MAX_NAMED = 8;

  private final List<FeatureColumn> columns = new ArrayList<>();
  private final boolean batches;
  private final int features;
  private final DataType type;
  private @Nullable Arena arena;
  private MemorySegment rows = MemorySegment.NULL;

  /** The requests of a batch that have failed. */
  private final BitSet failed = new BitSet();

  FeatureColumns(ModelConfig config, Ensemble model) {
    batches = config.batches();
    features = model.features().count();
    type = model.rowType();
    List<String> names = FeatureNames.of(config, model);
    for (int feature = 0; feature < features; feature++) {
      columns.add(new FeatureColumn(names.get(feature), model.features().categories(feature)));
    }
  }

  /** Whether a model has an input for each feature. */
  static boolean areInputs(ModelConfig config) {
    String value = config.parameters().getOrDefault(PARAMETER, "false");
    return switch (value) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw invalid(
              config, "parameter '%s' must be one of true, false, got '%s'", PARAMETER, value);
    };
  }

  /** The inputs, where a configuration states none. */
  static List<TensorConfig> inputs(ModelConfig config, Ensemble model, int maxBatchSize) {
    List<String> names = names(config, model);
    Shape dims = Shape.of(maxBatchSize > 0 ? 1 : Shape.WILDCARD);
    List<TensorConfig> inputs = new ArrayList<>();
    for (int feature = 0; feature < names.size(); feature++) {
      DataType type = isText(model, feature) ? DataType.BYTES : DataType.FP64;
      inputs.add(
          new TensorConfig(
              names.get(feature),
              type,
              dims,
              Optional.empty(),
              /* optional= */ true,
              false,
              false,
              TensorConfig.Format.FORMAT_NONE,
              ""));
    }
    return inputs;
  }

  private static List<String> names(ModelConfig config, Ensemble model) {
    List<String> names = FeatureNames.of(config, model);
    if (names.isEmpty()) {
      throw invalid(
          config,
          "parameter '%s' needs the names of the features, which the file does not have: give them"
              + " by the parameter 'feature_names'",
          PARAMETER);
    }
    return names;
  }

  private static boolean isText(Ensemble model, int feature) {
    return model.features().categories(feature).map(each -> !each.areNumbers()).orElse(false);
  }

  /**
   * Checks the inputs of a configuration.
   *
   * @throws InferenceException INVALID_ARGUMENT; the message names the model, the input and both
   *     values
   */
  static void check(ModelConfig config, Ensemble model) {
    List<String> names = names(config, model);
    List<String> problems = new ArrayList<>();
    for (int feature = 0; feature < names.size(); feature++) {
      String name = names.get(feature);
      Optional<Categories> stored = model.features().categories(feature);
      config
          .input(name)
          .map(input -> problem(config, input, stored))
          .orElse(Optional.of("input '%s' is missing, a feature of the file".formatted(name)))
          .ifPresent(problems::add);
    }
    for (TensorConfig input : config.inputs()) {
      if (!names.contains(input.name())) {
        problems.add(
            "input '%s' is no feature of the file, which has %s".formatted(input.name(), names));
      }
    }
    if (!problems.isEmpty()) {
      int left = problems.size() - MAX_NAMED;
      throw invalid(
          config,
          "%s%s",
          String.join("; ", problems.subList(0, Math.min(MAX_NAMED, problems.size()))),
          left > 0 ? "; and %d more".formatted(left) : "");
    }
  }

  /** What is wrong with an input; empty if nothing is. */
  private static Optional<String> problem(
      ModelConfig config, TensorConfig input, Optional<Categories> categories) {
    if (categories.filter(Categories::areCut).isPresent()) {
      return Optional.of(
          ("input '%s' has categories that the file does not have as they were: XGBoost before 3.4"
                  + " cuts texts with letters beyond ASCII; train with other names or by 3.4, or"
                  + " without the parameter '%s' send the codes of categories")
              .formatted(input.name(), PARAMETER));
    }
    boolean isText = categories.filter(each -> !each.areNumbers()).isPresent();
    if (isText ? input.dataType() != DataType.BYTES : !FeatureColumn.isNumber(input.dataType())) {
      return Optional.of(
          "input '%s' has the type %s, which must be %s"
              .formatted(
                  input.name(),
                  input.dataType().configName(),
                  isText
                      ? "TYPE_STRING"
                      : "one of numbers: TYPE_FP32, TYPE_FP64, TYPE_INT64, ..."));
    }
    Shape dims = Shape.of(config.batches() ? 1 : Shape.WILDCARD);
    return TreesSignature.modelDims(input).equals(dims)
        ? Optional.empty()
        : Optional.of(
            "input '%s' has the dims %s, which must be %s%s"
                .formatted(
                    input.name(),
                    TreesSignature.modelDims(input),
                    dims,
                    config.batches() ? "" : ", as max_batch_size is 0"));
  }

  /**
   * The rows of a batch. A request with a category that the model does not know fails.
   *
   * @return of the model's type of rows and of shape {@code [rows, features]}, valid until the next
   *     call
   */
  Tensor rows(Batch batch, Results results) {
    List<@Nullable Tensor> given = new ArrayList<>(features);
    long count = batches ? batch.rows() : -1;
    for (FeatureColumn column : columns) {
      Tensor values = batch.gathered(column.name()).orElse(null);
      given.add(values);
      if (values != null && count != values.shape().dim(0)) {
        if (count >= 0) {
          throw InferenceException.invalid(
              "input '%s' has %d rows, but others have %d"
                  .formatted(column.name(), values.shape().dim(0), count));
        }
        count = values.shape().dim(0);
      }
    }
    if (given.stream().allMatch(Objects::isNull)) {
      throw InferenceException.invalid(
          "a request has none of the inputs %s: it does not say how many rows it has"
              .formatted(columns.stream().map(FeatureColumn::name).limit(MAX_NAMED).toList()));
    }
    reserve(Math.multiplyExact(count, features));
    failed.clear();
    for (int feature = 0; feature < features; feature++) {
      FeatureColumn column = columns.get(feature);
      Tensor values = given.get(feature);
      if (values == null) {
        for (long row = 0; row < count; row++) {
          set(row, feature, Double.NaN);
        }
        continue;
      }
      int at = feature;
      column.read(
          values,
          (row, value) -> set(row, at, value),
          (row, category) -> fail(batch, results, column, row, category));
    }
    return new Tensor(
        TreesSignature.INPUT,
        type,
        Shape.of(count, features),
        rows.asSlice(0, count * features * type.byteSize()));
  }

  /** Whether a request of the last batch has failed. */
  boolean hasFailed(int request) {
    return failed.get(request);
  }

  private void set(long row, int feature, double value) {
    long index = row * features + feature;
    if (type == DataType.FP64) {
      rows.set(Elements.DOUBLE, index * Double.BYTES, value);
    } else {
      rows.set(Elements.FLOAT, index * Float.BYTES, (float) value);
    }
  }

  private void reserve(long values) {
    long byteSize = Math.multiplyExact(values, type.byteSize());
    if (byteSize > rows.byteSize()) {
      close();
      Arena larger = Arena.ofShared();
      arena = larger;
      rows = larger.allocate(Math.max(byteSize, Math.addExact(byteSize, byteSize / 2)), 64);
    }
  }

  private void fail(Batch batch, Results results, FeatureColumn column, long row, String category) {
    long ofRequest = row;
    int index = 0;
    while (batch.size() > 1) {
      long rowsOfIt = batch.input(index, column.name()).orElseThrow().shape().dim(0);
      if (ofRequest < rowsOfIt) {
        break;
      }
      ofRequest -= rowsOfIt;
      index++;
    }
    if (!failed.get(index)) {
      failed.set(index);
      results.fail(index, column.unknown(ofRequest, category));
    }
  }

  private static InferenceException invalid(
      ModelConfig config, String message, Object... arguments) {
    return InferenceException.invalid(
        "unable to load model '%s', ".formatted(config.name()) + message.formatted(arguments));
  }

  @Override
  public void close() {
    if (arena != null) {
      arena.close();
      arena = null;
      rows = MemorySegment.NULL;
    }
  }
}

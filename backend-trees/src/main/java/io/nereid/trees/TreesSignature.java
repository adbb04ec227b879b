package io.nereid.trees;

import io.nereid.config.BatchingSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.SchedulingSettings;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.trees.forest.Ensemble;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** The input and outputs that a model can have, which complete or contradict a configuration. */
final class TreesSignature {
  /** The names where a configuration has none. */
  static final String INPUT = "input";

  /** {@code output.<name>}: the kind of the output of that name. */
  private static final String KIND_PARAMETER = "output.";

  private final ModelConfig config;
  private final Ensemble model;
  private final FilParameters fil;

  TreesSignature(ModelConfig config, Ensemble model) {
    this.config = config;
    this.model = model;
    fil = FilParameters.of(config);
  }

  /** A probability above it is of class 1 of two. */
  double threshold() {
    return fil.threshold();
  }

  /**
   * Adds what the configuration lacks: the input, the output {@code prediction}, and if both are
   * missing the maximum batch size and dynamic batching.
   */
  ModelConfig complete(int defaultMaxBatchSize) {
    boolean isBare = config.inputs().isEmpty() && config.outputs().isEmpty();
    int maxBatchSize = isBare && !config.batches() ? defaultMaxBatchSize : config.maxBatchSize();
    List<TensorConfig> inputs = config.inputs();
    boolean hasColumns = FeatureColumns.areInputs(config);
    if (inputs.isEmpty() && hasColumns) {
      inputs = FeatureColumns.inputs(config, model, maxBatchSize);
    }
    if (inputs.isEmpty()) {
      String name = FilParameters.isBackendOf(config) ? FilParameters.INPUT : INPUT;
      DataType type = model.comparesDoubles() ? DataType.FP64 : DataType.FP32;
      Shape row = Shape.of(model.features().count());
      inputs = List.of(tensor(name, type, row, maxBatchSize, config.outputs()));
    }
    List<TensorConfig> outputs = config.outputs();
    if (outputs.isEmpty()) {
      outputs = List.of(output(maxBatchSize, hasColumns ? List.of() : inputs));
    }
    var completed = config.withSignature(maxBatchSize, inputs, outputs);
    return isBare && maxBatchSize > 1 && config.scheduling() instanceof SchedulingSettings.Direct
        ? completed.withScheduling(BatchingSettings.of(List.of(maxBatchSize), 0))
        : completed;
  }

  /** FIL gives one value where it can. */
  private TensorConfig output(int maxBatchSize, List<TensorConfig> inputs) {
    boolean isOfFil = FilParameters.isBackendOf(config);
    boolean predicts = OutputKind.PREDICTION.isOf(model, false);
    OutputKind usual = predicts ? OutputKind.PREDICTION : OutputKind.SCORE_SAMPLES;
    String name = isOfFil ? FilParameters.OUTPUT : usual.text();
    OutputKind kind = kind(TensorConfig.of(name, DataType.FP32, Shape.of(Shape.WILDCARD)));
    List<Shape> rows = kind.shapes(model);
    Shape row = isOfFil && kind == OutputKind.PREDICTION ? rows.getLast() : rows.getFirst();
    return tensor(name, DataType.FP32, row, maxBatchSize, inputs);
  }

  /** Without batching, rows are a dimension unless the tensors on the other side have none. */
  private static TensorConfig tensor(
      String name, DataType type, Shape row, int maxBatchSize, List<TensorConfig> others) {
    boolean isRow =
        maxBatchSize > 0 || others.stream().anyMatch(other -> modelDims(other).rank() < 2);
    return TensorConfig.of(name, type, isRow ? row : row.withLeading(Shape.WILDCARD));
  }

  /**
   * Checks that a complete configuration is one of the model.
   *
   * @throws InferenceException INVALID_ARGUMENT; the message names the model, the tensor and both
   *     values
   */
  void check() {
    FeatureNames.check(config, model);
    boolean hasRows = checkInputs();
    for (TensorConfig output : config.outputs()) {
      OutputKind kind = kind(output);
      if (!kind.isOf(model, fil.classifier().orElse(false))) {
        throw invalid(
            "output '%s' is of the kind '%s', %s", output.name(), kind.text(), kind.lacking());
      }
      if (!kind.accepts(output.dataType())) {
        throw invalid(
            "output '%s' has the type %s, which must be %s%s",
            output.name(), output.dataType().configName(), kind.types(), otherKind(output));
      }
      boolean outputHasRows = checkShape("output", output, kind.shapes(model), !hasRows);
      if (outputHasRows != hasRows) {
        throw invalid("output '%s' must have rows if and only if the input has", output.name());
      }
    }
    fil.deciding(config).ifPresent(this::checkDecides);
  }

  /** Whether the inputs have rows. */
  private boolean checkInputs() {
    if (FeatureColumns.areInputs(config)) {
      FeatureColumns.check(config, model);
      return true;
    }
    if (config.inputs().size() != 1) {
      throw invalid("the configuration has %d inputs, the model has 1", config.inputs().size());
    }
    TensorConfig input = config.inputs().getFirst();
    if (input.dataType() != DataType.FP32 && input.dataType() != DataType.FP64) {
      throw invalid(
          "input '%s' has the type %s, which must be TYPE_FP32 or TYPE_FP64",
          input.name(), input.dataType().configName());
    }
    if (input.optional() || input.allowRaggedBatch() || input.shapeTensor()) {
      throw invalid(
          "input '%s' can be neither optional, nor ragged, nor a shape tensor", input.name());
    }
    return checkShape("input", input, List.of(Shape.of(model.features().count())), false);
  }

  /** What decides the meaning of outputs is never without effect. */
  private void checkDecides(String parameter) {
    for (TensorConfig output : config.outputs()) {
      OutputKind kind = kind(output);
      if (fil.kind(output, model).equals(Optional.of(kind))) {
        return;
      }
    }
    TensorConfig first = config.outputs().getFirst();
    throw invalid(
        "parameter '%s' asks for the kind '%s', but output '%s' is of the kind '%s'; remove it, or"
            + " name the output '%s'",
        parameter,
        fil.kind(first, model).map(OutputKind::text).orElse(""),
        first.name(),
        kind(first).text(),
        FilParameters.OUTPUT);
  }

  /**
   * Whether a tensor has a dimension for rows, of the batch or its own. A single value of a row may
   * be a dimension or none.
   *
   * @param ofRow the shapes that a row can have
   */
  private boolean checkShape(
      String role, TensorConfig tensor, List<Shape> ofRow, boolean isOneRow) {
    Shape dims = modelDims(tensor);
    boolean isScalar = role.equals("output") && dims.rank() == 0 && ofRow.contains(Shape.of(1));
    if (isScalar || ofRow.stream().anyMatch(dims::accepts)) {
      return config.batches();
    }
    boolean mayHaveRows = !config.batches() && !isOneRow;
    if (mayHaveRows && ofRow.stream().anyMatch(row -> rowsOf(row, dims))) {
      return true;
    }
    Shape usual = ofRow.getFirst();
    throw invalid(
        "%s '%s' has the dims %s, which must be %s%s%s",
        role,
        tensor.name(),
        dims,
        mayHaveRows ? usual.withLeading(Shape.WILDCARD) : usual,
        mayHaveRows ? ", as max_batch_size is 0" : "",
        role.equals("output") ? otherKind(tensor) : "");
  }

  /**
   * The parameter that makes an output of a kind that its type and dims fit; empty if none does.
   */
  private String otherKind(TensorConfig output) {
    Shape dims = modelDims(output);
    Predicate<OutputKind> fits =
        kind ->
            kind.isOf(model, fil.classifier().orElse(false))
                && kind.accepts(output.dataType())
                && kind.shapes(model).stream().anyMatch(row -> holds(dims, row));
    return Arrays.stream(OutputKind.values())
        .filter(fits)
        .findFirst()
        .filter(_ -> OutputKind.parse(output.name()).isEmpty() && !fits.test(kind(output)))
        .map(kind ->
            "; with the parameter '%s%s' of the value '%s' it is of that kind, which fits"
                .formatted(KIND_PARAMETER, output.name(), kind.text()))
        .orElse("");
  }

  /** Whether dims are those of a row, or of rows. */
  private static boolean holds(Shape dims, Shape row) {
    return dims.accepts(row) || rowsOf(row, dims) || (dims.rank() == 0 && row.equals(Shape.of(1)));
  }

  private static boolean rowsOf(Shape row, Shape dims) {
    return row.rank() + 1 == dims.rank() && dims.withoutLeading().accepts(row);
  }

  static Shape modelDims(TensorConfig tensor) {
    return tensor.reshape().orElse(tensor.dims());
  }

  /** The kind of an output: as its parameter says, its name, or a parameter of FIL. */
  OutputKind kind(TensorConfig output) {
    String name = output.name();
    String stated = config.parameters().get(KIND_PARAMETER + name);
    if (stated != null) {
      return OutputKind.parse(stated)
          .orElseThrow(() ->
              invalid(
                  "parameter '%s%s' must be one of %s, got '%s'",
                  KIND_PARAMETER, name, kinds(), stated));
    }
    return OutputKind.parse(name)
        .or(() -> fil.kind(output, model))
        .or(() -> hasOneOutput() ? Optional.of(ofOnlyOutput()) : Optional.empty())
        .orElseThrow(() ->
            invalid(
                "output '%s' needs the parameter '%s%s' with one of the values %s",
                name, KIND_PARAMETER, name, kinds()));
  }

  /** Not counting what explains another one. */
  private boolean hasOneOutput() {
    return config.outputs().stream()
            .filter(each ->
                !OutputKind.parse(each.name()).equals(Optional.of(OutputKind.CONTRIBUTIONS)))
            .count()
        < 2;
  }

  private OutputKind ofOnlyOutput() {
    return FilParameters.isBackendOf(config) && model.isIsolationForest()
        ? OutputKind.ANOMALY_SCORE
        : OutputKind.PREDICTION;
  }

  /** Whether an output explains the rows, so that the trees' training rows are needed. */
  boolean hasContributions() {
    return config.outputs().stream().anyMatch(each -> kind(each) == OutputKind.CONTRIBUTIONS);
  }

  /** The shape of an output's values of a row. */
  Shape rowShape(TensorConfig output) {
    boolean isScalar = isSqueezed(output) || modelDims(output).rank() == 0;
    return isScalar ? Shape.of() : statedShape(output);
  }

  private Shape statedShape(TensorConfig output) {
    return kind(output).shapes(model).stream()
        .filter(shape -> holds(modelDims(output), shape))
        .findFirst()
        .orElseThrow();
  }

  /** Whether a value of each row has no dimension of its own, as FIL's answers have it. */
  boolean isSqueezed(TensorConfig output) {
    return FilParameters.isBackendOf(config)
        && config.batches()
        && statedShape(output).elementCount() == 1;
  }

  private static String kinds() {
    return String.join(", ", Arrays.stream(OutputKind.values()).map(OutputKind::text).toList());
  }

  private InferenceException invalid(String message, Object... arguments) {
    return InferenceException.invalid(
        "unable to load model '%s', ".formatted(config.name()) + message.formatted(arguments));
  }
}

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

/** The input and outputs that a model can have, which complete or contradict a configuration. */
final class TreesSignature {
  /** The names where a configuration has none. */
  static final String INPUT = "input";

  /** {@code output.<name>}: the kind of the output of that name. */
  private static final String KIND_PARAMETER = "output.";

  /** The names of the features, which must be those of the file, in order. */
  private static final String FEATURE_NAMES = "feature_names";

  private final ModelConfig config;
  private final Ensemble model;

  TreesSignature(ModelConfig config, Ensemble model) {
    this.config = config;
    this.model = model;
  }

  /**
   * Adds what the configuration lacks: the input, the output {@code prediction}, and if both are
   * missing the maximum batch size and dynamic batching.
   */
  ModelConfig complete(int defaultMaxBatchSize) {
    boolean isBare = config.inputs().isEmpty() && config.outputs().isEmpty();
    int maxBatchSize = isBare && !config.batches() ? defaultMaxBatchSize : config.maxBatchSize();
    List<TensorConfig> inputs = config.inputs();
    if (inputs.isEmpty()) {
      DataType type = model.needsDoubles() ? DataType.FP64 : DataType.FP32;
      inputs = List.of(tensor(INPUT, type, model.features(), maxBatchSize, config.outputs()));
    }
    List<TensorConfig> outputs = config.outputs();
    if (outputs.isEmpty()) {
      OutputKind kind =
          OutputKind.PREDICTION.isOf(model) ? OutputKind.PREDICTION : OutputKind.SCORE_SAMPLES;
      outputs =
          List.of(tensor(kind.text(), DataType.FP32, kind.width(model), maxBatchSize, inputs));
    }
    var completed = config.withSignature(maxBatchSize, inputs, outputs);
    return isBare && maxBatchSize > 1 && config.scheduling() instanceof SchedulingSettings.Direct
        ? completed.withScheduling(BatchingSettings.of(List.of(maxBatchSize), 0))
        : completed;
  }

  /** Without batching, rows are a dimension unless the tensors on the other side have none. */
  private static TensorConfig tensor(
      String name, DataType type, int width, int maxBatchSize, List<TensorConfig> others) {
    boolean isRow =
        maxBatchSize > 0 || others.stream().anyMatch(other -> modelDims(other).rank() < 2);
    return TensorConfig.of(name, type, isRow ? Shape.of(width) : Shape.of(Shape.WILDCARD, width));
  }

  /**
   * Checks that a complete configuration is one of the model.
   *
   * @throws InferenceException INVALID_ARGUMENT; the message names the model, the tensor and both
   *     values
   */
  void check() {
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
    boolean hasRows = checkShape("input", input, model.features(), false);
    for (TensorConfig output : config.outputs()) {
      OutputKind kind = kind(output);
      if (!kind.isOf(model) && model.isIsolationForest() && kind != OutputKind.CLASS) {
        throw invalid(
            "output '%s' is of the kind '%s', which needs the parameter '%s' with the offset_ of the"
                + " isolation forest: -0.5 unless its contamination was given",
            output.name(), kind.text(), TreesFile.OFFSET);
      }
      if (!kind.isOf(model)) {
        throw invalid(
            "output '%s' is of the kind '%s', but the model is no classifier",
            output.name(), kind.text());
      }
      if (!kind.accepts(output.dataType())) {
        throw invalid(
            "output '%s' has the type %s, which must be %s",
            output.name(), output.dataType().configName(), kind.types());
      }
      boolean outputHasRows = checkShape("output", output, kind.width(model), !hasRows);
      if (outputHasRows != hasRows) {
        throw invalid("output '%s' must have rows if and only if the input has", output.name());
      }
    }
    checkFeatureNames();
  }

  /**
   * Whether a tensor has a dimension for rows, of the batch or its own. A single value of a row may
   * be a dimension or none.
   */
  private boolean checkShape(String role, TensorConfig tensor, int width, boolean isOneRow) {
    Shape dims = modelDims(tensor);
    boolean isScalar = width == 1 && dims.equals(Shape.of()) && role.equals("output");
    int rank = dims.rank();
    boolean fits = isScalar || (rank > 0 && accepts(dims.dim(rank - 1), width));
    boolean hasRows = config.batches();
    if (!config.batches() && rank == 2 && !isOneRow) {
      hasRows = true;
    } else {
      fits &= rank <= 1;
    }
    if (!fits) {
      throw invalid(
          "%s '%s' has the dims %s, which must be %s",
          role, tensor.name(), dims, config.batches() ? Shape.of(width) : Shape.of(-1, width));
    }
    return hasRows;
  }

  private static boolean accepts(long dim, int width) {
    return dim == Shape.WILDCARD || dim == width;
  }

  static Shape modelDims(TensorConfig tensor) {
    return tensor.reshape().orElse(tensor.dims());
  }

  /** The kind of an output: as a parameter says, or as its name does. */
  OutputKind kind(TensorConfig output) {
    String name = output.name();
    String stated = config.parameters().get(KIND_PARAMETER + name);
    if (stated == null) {
      return OutputKind.parse(name)
          .or(() ->
              config.outputs().size() == 1
                  ? OutputKind.parse("prediction")
                  : java.util.Optional.empty())
          .orElseThrow(() ->
              invalid(
                  "output '%s' needs the parameter '%s%s' with one of the values %s",
                  name, KIND_PARAMETER, name, kinds()));
    }
    return OutputKind.parse(stated)
        .orElseThrow(() ->
            invalid(
                "parameter '%s%s' must be one of %s, got '%s'",
                KIND_PARAMETER, name, kinds(), stated));
  }

  private static String kinds() {
    return String.join(", ", Arrays.stream(OutputKind.values()).map(OutputKind::text).toList());
  }

  private void checkFeatureNames() {
    String stated = config.parameters().get(FEATURE_NAMES);
    if (stated == null) {
      return;
    }
    List<String> names = Arrays.stream(stated.split(",", -1)).map(String::strip).toList();
    List<String> ofFile = model.featureNames();
    if (names.size() != model.features()) {
      throw invalid(
          "parameter '%s' has %d names, the model has %d features",
          FEATURE_NAMES, names.size(), model.features());
    }
    if (ofFile.isEmpty()) {
      throw invalid("parameter '%s' is set, but the file names no features", FEATURE_NAMES);
    }
    for (int i = 0; i < names.size(); i++) {
      if (!names.get(i).equals(ofFile.get(i))) {
        throw invalid(
            "parameter '%s' has '%s' as feature %d, the file has '%s'",
            FEATURE_NAMES, names.get(i), i, ofFile.get(i));
      }
    }
  }

  private InferenceException invalid(String message, Object... arguments) {
    return InferenceException.invalid(
        "unable to load model '%s', ".formatted(config.name()) + message.formatted(arguments));
  }
}

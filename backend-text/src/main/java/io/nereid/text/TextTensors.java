package io.nereid.text;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.text.folder.Task;
import io.nereid.text.folder.TextParameters;
import io.nereid.text.folder.TextSettings;
import java.util.List;
import java.util.Optional;

/**
 * The inputs and outputs of text models.
 *
 * <table>
 *   <caption>For each row</caption>
 *   <tr><th>task</th><th>inputs, BYTES [1]</th><th>outputs</th></tr>
 *   <tr><td>embedding</td><td>TEXT</td><td>EMBEDDING FP32 [dimension], TOKENS INT32 [1]</td></tr>
 *   <tr><td>rerank</td><td>QUERY, TEXT</td><td>SCORE FP32 [1], TOKENS INT32 [1]</td></tr>
 *   <tr><td>classify</td><td>optional QUERY, TEXT</td><td>SCORES FP32 [labels], TOKENS</td></tr>
 * </table>
 *
 * <p>With the parameter {@code tokenization} each has an output TOKENIZATION of BYTES [1] too: the
 * tokens of TEXT as a JSON array. The graph is run for requests that want the first output only.
 */
final class TextTensors {
  static final String TEXT = "TEXT";
  static final String QUERY = "QUERY";
  static final String EMBEDDING = "EMBEDDING";
  static final String TOKENS = "TOKENS";
  static final String TOKENIZATION = "TOKENIZATION";

  private TextTensors() {}

  /** The output with what the task is for. */
  static String result(Task task) {
    return switch (task) {
      case EMBEDDING -> EMBEDDING;
      case RERANK -> "SCORE";
      case CLASSIFY -> "SCORES";
    };
  }

  /** Those of the configuration, or all. */
  static List<TensorConfig> inputs(TextSettings settings, ModelConfig config) {
    return config.inputs().isEmpty() ? inputs(settings) : config.inputs();
  }

  private static List<TensorConfig> inputs(TextSettings settings) {
    TensorConfig text = TensorConfig.of(TEXT, DataType.BYTES, Shape.of(1));
    return switch (settings.task()) {
      case EMBEDDING -> List.of(text);
      case RERANK -> List.of(TensorConfig.of(QUERY, DataType.BYTES, Shape.of(1)), text);
      case CLASSIFY ->
          List.of(
              new TensorConfig(
                  QUERY,
                  DataType.BYTES,
                  Shape.of(1),
                  Optional.empty(),
                  /* optional= */ true,
                  false,
                  false,
                  TensorConfig.Format.FORMAT_NONE,
                  ""),
              text);
    };
  }

  /** Those of the configuration, or those of the task. */
  static List<TensorConfig> outputs(TextSettings settings, ModelConfig config) {
    if (!config.outputs().isEmpty()) {
      return config.outputs();
    }
    boolean hasTokens = new TextParameters(config).flag(TextParameters.TOKENIZATION).orElse(false);
    return outputs(settings).stream()
        .filter(output -> hasTokens || !output.name().equals(TOKENIZATION))
        .toList();
  }

  private static List<TensorConfig> outputs(TextSettings settings) {
    return List.of(
        TensorConfig.of(result(settings.task()), DataType.FP32, Shape.of(settings.width())),
        TensorConfig.of(TOKENS, DataType.INT32, Shape.of(1)),
        TensorConfig.of(TOKENIZATION, DataType.BYTES, Shape.of(1)));
  }

  /**
   * Checks that a complete configuration has tensors of the task.
   *
   * @throws InferenceException INVALID_ARGUMENT with the first that is another
   */
  static void check(ModelConfig config, TextSettings settings) {
    check(config.inputs(), inputs(settings), "input", settings.task());
    check(config.outputs(), outputs(settings), "output", settings.task());
    for (TensorConfig needed : inputs(settings)) {
      if (!needed.optional() && config.input(needed.name()).isEmpty()) {
        throw InferenceException.invalid(
            "configuration has no input '%s', which the task '%s' needs"
                .formatted(needed.name(), settings.task().label()));
      }
    }
  }

  private static void check(
      List<TensorConfig> stated, List<TensorConfig> known, String role, Task task) {
    for (TensorConfig tensor : stated) {
      TensorConfig expected =
          known.stream()
              .filter(each -> each.name().equals(tensor.name()))
              .findFirst()
              .orElseThrow(() ->
                  InferenceException.invalid(
                      "unexpected inference %s '%s', the task '%s' has %s"
                          .formatted(
                              role,
                              tensor.name(),
                              task.label(),
                              known.stream().map(TensorConfig::name).toList())));
      boolean isWide = tensor.name().equals(result(task)) && tensor.dims().equals(Shape.of(-1));
      if (tensor.dataType() != expected.dataType()
          || !(isWide || tensor.dims().equals(expected.dims()))
          || tensor.reshape().isPresent()
          || tensor.allowRaggedBatch()) {
        throw InferenceException.invalid(
            "%s '%s' must be %s with dims %s and without reshape, got %s with dims %s"
                .formatted(
                    role,
                    tensor.name(),
                    expected.dataType().configName(),
                    expected.dims(),
                    tensor.dataType().configName(),
                    tensor.dims()));
      }
    }
  }
}

package io.nereid.trees;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.tensor.Shape;
import io.nereid.trees.forest.Ensemble;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The parameters of Triton's FIL backend that decide what its output contains, with the meaning of
 * its {@code docs/model_config.md}. They hold for outputs whose kind neither a parameter nor a name
 * states.
 *
 * @param classifier {@code output_class}, else {@code is_classifier}; empty if neither is given
 * @param predictProba whether a classifier gives probabilities in place of a class
 * @param threshold a probability above it is of class 1 of two
 */
record FilParameters(Optional<Boolean> classifier, boolean predictProba, double threshold) {
  /** The names of the backend in configurations for Triton. */
  static final List<String> BACKENDS = List.of("fil", "triton_fil");

  /** The names that its tensors have. */
  static final String INPUT = "input__0";

  static final String OUTPUT = "output__0";

  /** The output of {@link OutputKind#CONTRIBUTIONS}. */
  static final String CONTRIBUTIONS = "treeshap_output";

  private static final String PREDICT_PROBA = "predict_proba";
  private static final String THRESHOLD = "threshold";

  /** The files of {@code model_type}. */
  static final Map<String, String> FILES =
      Map.of(
          "xgboost", "xgboost.model",
          "xgboost_json", "xgboost.json",
          "xgboost_ubj", "xgboost.ubj",
          "lightgbm", "model.txt",
          "treelite_checkpoint", "checkpoint.tl");

  /** Of a configuration. */
  static FilParameters of(ModelConfig config) {
    return new FilParameters(
        flag(config, "output_class").or(() -> flag(config, "is_classifier")),
        flag(config, PREDICT_PROBA).orElse(false),
        threshold(config));
  }

  /** Whether a configuration names the backend of Triton. */
  static boolean isBackendOf(ModelConfig config) {
    return BACKENDS.contains(config.backend());
  }

  /** The file that {@code model_type} stands for; empty if it is not given. */
  static Optional<String> file(ModelConfig config) {
    String type = config.parameters().get("model_type");
    if (type == null) {
      return Optional.empty();
    }
    String file = FILES.get(type);
    if (file == null) {
      throw invalid(
          config, "model_type", String.join(", ", FILES.keySet().stream().sorted().toList()), type);
    }
    return Optional.of(file);
  }

  private static Optional<Boolean> flag(ModelConfig config, String name) {
    String value = config.parameters().get(name);
    return switch (value) {
      case null -> Optional.empty();
      case "true" -> Optional.of(true);
      case "false" -> Optional.of(false);
      default -> throw invalid(config, name, "true, false", value);
    };
  }

  private static double threshold(ModelConfig config) {
    String value = config.parameters().getOrDefault(THRESHOLD, "0.5");
    try {
      double threshold = Double.parseDouble(value);
      if (Double.isFinite(threshold)) {
        return threshold;
      }
    } catch (NumberFormatException _) {
      // as for an infinite one
    }
    throw InferenceException.invalid(
        "unable to load model '%s', parameter '%s' must be a number, got '%s'"
            .formatted(config.name(), THRESHOLD, value));
  }

  private static InferenceException invalid(
      ModelConfig config, String name, String values, String value) {
    return InferenceException.invalid(
        "unable to load model '%s', parameter '%s' must be one of %s, got '%s'"
            .formatted(config.name(), name, values, value));
  }

  /** The kind that they give an output; empty if they say nothing of it. */
  Optional<OutputKind> kind(TensorConfig output, Ensemble model) {
    if (!predictProba && classifier.isEmpty()) {
      return Optional.empty();
    }
    if (!predictProba && classifier.get()) {
      return Optional.of(OutputKind.CLASS);
    }
    if (model.isIsolationForest()) {
      return Optional.of(OutputKind.ANOMALY_SCORE);
    }
    boolean isEachClass = model.outputs() > 1 || (predictProba && width(output) != 1);
    return Optional.of(
        isEachClass && model.classes().count() > 0
            ? OutputKind.PROBABILITIES
            : OutputKind.PREDICTION);
  }

  private static long width(TensorConfig output) {
    Shape dims = TreesSignature.modelDims(output);
    return dims.rank() == 0 ? 1 : dims.dim(dims.rank() - 1);
  }

  /** The parameter that gives outputs their kind, for a message; empty if there is none. */
  Optional<String> deciding(ModelConfig config) {
    return List.of(PREDICT_PROBA, "output_class", "is_classifier").stream()
        .filter(config.parameters()::containsKey)
        .findFirst();
  }
}

package io.nereid.trees;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.trees.forest.Ensemble;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** The names of a model's features, in the order of its rows. */
final class FeatureNames {
  /**
   * The names, separated by commas, which must be those of the file if it has any. Tools find
   * columns by them.
   */
  private static final String PARAMETER = "feature_names";

  /** Names that LightGBM gives columns without names. */
  private static final Pattern NUMBERED = Pattern.compile("Column_\\d+");

  /** The most names that a configuration is given. */
  private static final int MAX_SHOWN = 4096;

  private FeatureNames() {}

  /**
   * A configuration that shows the names that the file has for the columns of its training data, if
   * it states none: for tools, which find columns by them.
   */
  static ModelConfig shown(ModelConfig config, Ensemble model) {
    List<String> names = model.features().names();
    boolean isPlain =
        names.stream()
            .allMatch(name -> !name.isEmpty() && name.equals(name.strip()) && !name.contains(","));
    if (names.isEmpty()
        || names.size() > MAX_SHOWN
        || !isPlain
        || names.stream().allMatch(name -> NUMBERED.matcher(name).matches())
        || config.parameters().containsKey(PARAMETER)) {
      return config;
    }
    return config.toBuilder().parameter(PARAMETER, String.join(",", names)).build();
  }

  /** The names of the features: those of the file, else those of the configuration. */
  static List<String> of(ModelConfig config, Ensemble model) {
    return model.features().names().isEmpty() ? stated(config) : model.features().names();
  }

  private static List<String> stated(ModelConfig config) {
    String stated = config.parameters().get(PARAMETER);
    return stated == null
        ? List.of()
        : Arrays.stream(stated.split(",", -1)).map(String::strip).toList();
  }

  /**
   * Checks the names that a configuration states.
   *
   * @throws InferenceException INVALID_ARGUMENT; the message names the model and both values
   */
  static void check(ModelConfig config, Ensemble model) {
    List<String> names = stated(config);
    if (names.isEmpty()) {
      return;
    }
    List<String> ofFile = model.features().names();
    if (names.size() != model.features().count()) {
      throw invalid(
          config,
          "parameter '%s' has %d names, the model has %d features",
          PARAMETER,
          names.size(),
          model.features().count());
    }
    for (int i = 0; i < ofFile.size(); i++) {
      if (!names.get(i).equals(ofFile.get(i))) {
        throw invalid(
            config,
            "parameter '%s' has '%s' as feature %d, the file has '%s'",
            PARAMETER,
            names.get(i),
            i,
            ofFile.get(i));
      }
    }
  }

  private static InferenceException invalid(
      ModelConfig config, String message, Object... arguments) {
    return InferenceException.invalid(
        "unable to load model '%s', ".formatted(config.name()) + message.formatted(arguments));
  }
}

package io.nereid.trees;

import io.nereid.config.ModelConfig;
import java.util.List;
import java.util.stream.Stream;

/** The names of the backend's parameters, for those that a configuration has misspelt. */
final class ParameterNames {
  private static final List<String> KNOWN =
      List.of(
          "columns",
          "feature_names",
          IterationRange.PARAMETER,
          TreesFile.OFFSET,
          "threshold",
          "predict_proba",
          "output_class",
          "is_classifier",
          "model_type");

  private ParameterNames() {}

  /** A warning for each parameter that has no effect, but nearly the name of one that would. */
  static List<String> warnings(ModelConfig config) {
    List<String> known =
        Stream.concat(
                KNOWN.stream(), config.outputs().stream().map(each -> "output." + each.name()))
            .toList();
    return config.parameters().keySet().stream()
        .filter(name -> !known.contains(name))
        .sorted()
        .flatMap(name ->
            known.stream()
                .filter(each -> isNear(name, each))
                .limit(1)
                .map(near ->
                    "model '%s': the parameter '%s' has no effect; did you mean '%s'?"
                        .formatted(config.name(), name, near)))
        .toList();
  }

  /** Whether they differ by at most two letters, which are beside each other. */
  private static boolean isNear(String name, String other) {
    int shorter = Math.min(name.length(), other.length());
    int begin = 0;
    while (begin < shorter && name.charAt(begin) == other.charAt(begin)) {
      begin++;
    }
    int end = 0;
    while (end < shorter - begin
        && name.charAt(name.length() - 1 - end) == other.charAt(other.length() - 1 - end)) {
      end++;
    }
    return Math.max(name.length(), other.length()) - begin - end <= 2;
  }
}

package io.nereid.engine.model.control;

import java.util.HashSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;

/** Why models that were to serve from the start do not, as one line of limited length. */
final class StartFailures {
  /** The models that are named. */
  static final int MAX_MODELS = 5;

  /** The characters of a reason; the log has all of them. */
  static final int MAX_REASON = 200;

  private static final String ELLIPSIS = "...";

  private StartFailures() {}

  /**
   * @param models those that were to serve
   * @param reasons why models were not loaded, by name: some of the models, and perhaps others that
   *     they need; at least one
   */
  static String sentence(Set<String> models, SortedMap<String, String> reasons) {
    Set<String> all = new HashSet<>(models);
    all.addAll(reasons.keySet());
    String listed =
        reasons.entrySet().stream()
            .limit(MAX_MODELS)
            .map(failure -> "%s (%s)".formatted(failure.getKey(), shortened(failure.getValue())))
            .collect(Collectors.joining(", "));
    int more = reasons.size() - MAX_MODELS;
    return "%d of %d models did not load: %s%s"
        .formatted(
            reasons.size(), all.size(), listed, more > 0 ? " and %d more".formatted(more) : "");
  }

  private static String shortened(String reason) {
    String line = reason.lines().map(String::strip).collect(Collectors.joining(" "));
    if (line.length() <= MAX_REASON) {
      return line;
    }
    int end = MAX_REASON - ELLIPSIS.length();
    boolean splitsPair = Character.isHighSurrogate(line.charAt(end - 1));
    return line.substring(0, splitsPair ? end - 1 : end) + ELLIPSIS;
  }
}

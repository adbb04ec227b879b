package io.nereid.engine.model.control;

import java.util.HashSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;

/** Why models that were to serve from the start do not, as one line of limited length. */
final class StartFailures {
  /** The models that are named. */
  static final int MAX_MODELS = 5;

  /** The characters of all reasons together; the log has all of them. */
  static final int MAX_REASONS = 1000;

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
    int length = MAX_REASONS / Math.min(reasons.size(), MAX_MODELS);
    String listed =
        reasons.entrySet().stream()
            .limit(MAX_MODELS)
            .map(failure ->
                "%s (%s)".formatted(failure.getKey(), shortened(failure.getValue(), length)))
            .collect(Collectors.joining(", "));
    int more = reasons.size() - MAX_MODELS;
    return "%d of %d models did not load: %s%s"
        .formatted(
            reasons.size(), all.size(), listed, more > 0 ? " and %d more".formatted(more) : "");
  }

  /** Without its middle: the beginning says what is wrong, the end what to do. */
  private static String shortened(String reason, int length) {
    String line = reason.lines().map(String::strip).collect(Collectors.joining(" "));
    int[] characters = line.codePoints().toArray();
    if (characters.length <= length) {
      return line;
    }
    int head = length / 3;
    int tail = length - head - ELLIPSIS.length();
    return new String(characters, 0, head)
        + ELLIPSIS
        + new String(characters, characters.length - tail, tail);
  }
}

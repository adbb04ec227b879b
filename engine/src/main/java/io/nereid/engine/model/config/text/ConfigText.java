package io.nereid.engine.model.config.text;

import io.nereid.protocol.config.ModelConfig;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A configuration that was read from a text.
 *
 * @param message the configuration; if there are problems, what can be told of it
 * @param problems all of them, by position; at most 100
 * @param unread the fields whose values could not be told
 * @param isComplete whether all of the text was read, so that the message lacks no field
 */
public record ConfigText(
    SourceText source,
    ModelConfig message,
    FieldPositions positions,
    List<TextProblem> problems,
    Set<FieldPath> unread,
    boolean isComplete) {
  /**
   * Where a field is or, if it is not set, the innermost field around it that is; empty if none is.
   */
  public Optional<TextPosition> position(FieldPath path) {
    return positions.find(path).map(source::position);
  }

  /** The lines at which the text states fields, by their paths, such as {@code input[1].dims}. */
  public SortedMap<String, Integer> lines() {
    SortedMap<String, Integer> lines = new TreeMap<>();
    positions.forEach((path, offset) -> lines.put(path, source.position(offset).line()));
    return lines;
  }

  /** A line of the text, as messages show it. */
  public String line(int number) {
    return source.line(number);
  }
}

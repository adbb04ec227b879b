package io.nereid.engine.model.config.text;

import io.nereid.protocol.config.ModelConfig;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A configuration that was read from a text. Immutable. */
public final class ConfigText {
  private final SourceText source;
  private final ModelConfig message;
  private final FieldPositions positions;
  private final List<TextProblem> problems;
  private final Set<FieldPath> unread;
  private final boolean complete;

  ConfigText(
      SourceText source, ModelConfig message, FieldPositions positions, TextProblems problems) {
    this.source = source;
    this.message = message;
    this.positions = positions;
    this.problems = problems.sorted();
    this.unread = problems.unread();
    this.complete = !problems.anySkipped();
  }

  /** The configuration; if there are problems, what can be told of it. */
  public ModelConfig message() {
    return message;
  }

  /** All problems, by position; at most 100. */
  public List<TextProblem> problems() {
    return problems;
  }

  /** Whether all of the text was read, so that {@link #message} lacks no field. */
  public boolean isComplete() {
    return complete;
  }

  /** The fields whose values could not be told. */
  public Set<FieldPath> unread() {
    return unread;
  }

  /**
   * Where a field is or, if it is not set, the innermost field around it that is; empty if none is.
   */
  public Optional<TextPosition> position(FieldPath path) {
    return positions.find(path).map(source::position);
  }

  /** A line of the text, as messages show it. */
  public String line(int number) {
    return source.line(number);
  }
}

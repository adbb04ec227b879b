package io.nereid.engine.model.config.text;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Collects the problems of one text; the first 100, which bounds time and memory. */
final class TextProblems {
  private static final int MAX = 100;

  private final SourceText source;
  private final List<TextProblem> problems = new ArrayList<>();
  private final Set<FieldPath> unread = new HashSet<>();
  private boolean skipped;

  TextProblems(SourceText source) {
    this.source = source;
  }

  /** A problem in spite of which the meaning is clear, such as a missing comma. */
  void error(int offset, FieldPath path, String message) {
    add(true, offset, path, message);
  }

  void warning(int offset, FieldPath path, String message) {
    add(false, offset, path, message);
  }

  /** A problem because of which a part of the text is not read. */
  void skipped(int offset, FieldPath path, String message) {
    skipped = true;
    add(true, offset, path, message);
  }

  /** Notes a field whose value could not be told. Its problem is reported separately. */
  void unread(FieldPath path) {
    unread.add(path);
  }

  Set<FieldPath> unread() {
    return Set.copyOf(unread);
  }

  private void add(boolean fails, int offset, FieldPath path, String message) {
    if (problems.size() < MAX) {
      problems.add(new TextProblem(fails, source.position(offset), path, message));
    }
  }

  boolean isFull() {
    return problems.size() == MAX;
  }

  /** Whether a part of the text was not read, so that the message lacks something. */
  boolean anySkipped() {
    return skipped;
  }

  /** In the order of their positions. */
  List<TextProblem> sorted() {
    return problems.stream().sorted(Comparator.comparing(TextProblem::position)).toList();
  }
}

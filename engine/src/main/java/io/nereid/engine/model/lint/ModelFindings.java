package io.nereid.engine.model.lint;

import io.nereid.engine.model.config.text.ConfigText;
import io.nereid.engine.model.config.text.FieldPath;
import io.nereid.engine.model.config.text.TextPosition;
import io.nereid.engine.model.config.text.TextProblem;
import io.nereid.engine.model.config.validation.ConfigProblem;
import io.nereid.engine.model.lint.Finding.Severity;
import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Collects the findings of one model, and adds where its fields are. */
final class ModelFindings {
  private final Path directory;
  private final List<Finding> findings = new ArrayList<>();

  /** The configuration file, if the model has one that can be read. */
  private Optional<Path> file = Optional.empty();

  private Optional<ConfigText> text = Optional.empty();

  ModelFindings(Path directory) {
    this.directory = directory;
  }

  /** Reports what is wrong with the text, and refers to it from now on. */
  void read(Path configFile, ConfigText configText) {
    file = Optional.of(configFile);
    text = Optional.of(configText);
    for (TextProblem problem : configText.problems()) {
      findings.add(
          new Finding(
              problem.fails() ? Severity.ERROR : Severity.WARNING,
              configFile,
              Optional.of(problem.position()),
              configText.line(problem.position().line()),
              problem.path().toString(),
              problem.message()));
    }
  }

  void error(Path path, String message) {
    findings.add(Finding.of(Severity.ERROR, path, message));
  }

  /** Reports what cannot be read; the reason names no path, since the finding does. */
  void unreadable(Path path, String what, InferenceException failure) {
    error(
        path,
        failure.getCause() instanceof IOException cause
            ? what + ": " + IoReason.of(cause)
            : failure.getMessage());
  }

  void warning(Path path, String message) {
    findings.add(Finding.of(Severity.WARNING, path, message));
  }

  void error(FieldPath path, InferenceException failure) {
    at(Severity.ERROR, path, failure.getMessage());
  }

  void error(FieldPath path, String message) {
    at(Severity.ERROR, path, message);
  }

  void warning(FieldPath path, String message) {
    at(Severity.WARNING, path, message);
  }

  /** Reports violated rules, without those of fields whose values could not be read. */
  void add(List<ConfigProblem> problems) {
    Set<FieldPath> unread = text.map(ConfigText::unread).orElse(Set.of());
    for (ConfigProblem problem : problems) {
      boolean concernsUnread =
          unread.stream()
              .anyMatch(path ->
                  (path.startsWith(problem.path()) && !problem.path().equals(FieldPath.ROOT))
                      || problem.path().startsWith(path));
      if (!concernsUnread) {
        at(Severity.ERROR, problem.path(), problem.message());
      }
    }
  }

  /** The first of these fields that is set; the first of all if none is. */
  FieldPath anySet(FieldPath... paths) {
    return Arrays.stream(paths)
        .filter(path -> text.flatMap(known -> known.position(path)).isPresent())
        .findFirst()
        .orElse(paths[0]);
  }

  private void at(Severity severity, FieldPath path, String message) {
    Optional<TextPosition> found = text.flatMap(known -> known.position(path));
    findings.add(
        new Finding(
            severity,
            file.orElse(directory),
            text.map(_ -> found.orElse(TextPosition.START)),
            found.flatMap(at -> text.map(known -> known.line(at.line()))).orElse(""),
            path.toString(),
            message));
  }

  /** Does something, and reports its failure. */
  void attempt(FieldPath path, Runnable action) {
    try {
      action.run();
    } catch (InferenceException failure) {
      error(path, failure);
    }
  }

  boolean hasErrors() {
    return findings.stream().anyMatch(finding -> finding.severity() == Severity.ERROR);
  }

  /**
   * The findings by position; those without one last. What concerns no field is left out if a
   * finding at a field says the same: a backend fails for a missing file, too.
   */
  List<Finding> sorted() {
    return findings.stream()
        .filter(finding -> !finding.field().isEmpty() || !isSaidAtAField(finding.message()))
        .distinct() // versions may have the same
        .sorted(
            Comparator.comparing(
                finding -> finding.position().orElse(new TextPosition(Integer.MAX_VALUE, 1))))
        .toList();
  }

  private boolean isSaidAtAField(String message) {
    return findings.stream()
        .anyMatch(other -> !other.field().isEmpty() && other.message().equals(message));
  }
}

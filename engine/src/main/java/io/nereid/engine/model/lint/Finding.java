package io.nereid.engine.model.lint;

import io.nereid.engine.model.config.text.TextPosition;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Something wrong with a model or a repository.
 *
 * @param file the file or the directory that it is found in
 * @param position in the file; empty of a directory
 * @param line the text of that line; empty without a position
 * @param field the path of the field; empty if none is concerned
 * @param message what came and what was expected
 */
public record Finding(
    Severity severity,
    Path file,
    Optional<TextPosition> position,
    String line,
    String field,
    String message) {
  /** Whether loading fails. */
  public enum Severity {
    ERROR,
    WARNING
  }

  /** A finding that has no place in a file. */
  static Finding of(Severity severity, Path path, String message) {
    return new Finding(severity, path, Optional.empty(), "", "", message);
  }
}

package io.nereid.engine.model.repository;

import io.nereid.error.InferenceException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The rules for the paths of files that a load request brings. Each path consists of names below
 * the model's directory, so that no spelling of it leads anywhere else.
 */
final class OverrideFiles {
  /** What Linux allows. */
  private static final int MAX_NAME_BYTES = 255;

  private static final int MAX_NAMES = 32;

  private OverrideFiles() {}

  /**
   * Checks paths together.
   *
   * @throws InferenceException if one is not allowed, or is both a file and a directory
   */
  static void check(Set<String> paths) {
    Set<String> directories = new TreeSet<>();
    for (String path : paths) {
      List<String> names = List.of(path.split("/", -1));
      if (names.size() > MAX_NAMES) {
        throw invalid(path, "has more than " + MAX_NAMES + " levels of directories");
      }
      names.forEach(name -> checkName(path, name));
      for (int end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
        directories.add(path.substring(0, end));
      }
    }
    for (String path : paths) {
      if (directories.contains(path)) {
        throw invalid(path, "is a file, and the directory of another file");
      }
    }
  }

  private static void checkName(String path, String name) {
    if (name.isEmpty()) {
      throw invalid(path, "must be a relative path whose names are not empty");
    }
    if (name.equals(".") || name.equals("..")) {
      throw invalid(path, "must stay within model directory, without '.' and '..'");
    }
    if (name.indexOf(0) >= 0) {
      throw invalid(path.replace('\0', '?'), "must not contain a NUL character");
    }
    if (name.getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES) {
      throw invalid(path, "has a name of more than " + MAX_NAME_BYTES + " bytes");
    }
  }

  static InferenceException invalid(String path, String reason) {
    String shown = path.length() <= 300 ? path : path.substring(0, 300) + "...";
    return InferenceException.invalid(
        "Invalid file parameter 'file:%s': it %s".formatted(shown, reason));
  }
}

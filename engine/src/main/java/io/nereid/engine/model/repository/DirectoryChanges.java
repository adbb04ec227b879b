package io.nereid.engine.model.repository;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The difference between two contents of a model's directory, by what a difference means for the
 * model.
 *
 * @param paths of files and empty directories, as in {@link DirectoryContents#files}
 */
public record DirectoryChanges(SortedSet<String> paths) {
  public DirectoryChanges {
    paths = Collections.unmodifiableSortedSet(new TreeSet<>(paths));
  }

  public boolean isEmpty() {
    return paths.isEmpty();
  }

  /** The versions whose directories differ, exist only now, or existed only before. */
  public SortedSet<Long> versions() {
    return paths.stream()
        .flatMap(path -> version(path).stream())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Whether anything else differs: label files, samples for warm-up, initial states, and so on. */
  public boolean others() {
    return paths.stream().anyMatch(path -> !isConfig(path) && version(path).isEmpty());
  }

  private static boolean isConfig(String path) {
    return path.equals("config.pbtxt") || path.startsWith("configs/");
  }

  private static Optional<Long> version(String path) {
    int end = path.indexOf('/');
    return end < 0 ? Optional.empty() : DirectoryContents.version(path.substring(0, end));
  }
}

package io.nereid.engine.model.repository;

import java.util.Collections;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * What is in a model's directory at one time. Two that are equal hold the same files, as far as
 * sizes and modification times tell.
 *
 * @param files by path below the directory, with {@code /} between names; an empty directory is an
 *     entry of its own, whose path ends with {@code /}
 */
public record DirectoryContents(SortedMap<String, FileState> files) {
  private static final Pattern DECIMAL = Pattern.compile("0|[1-9][0-9]*");

  /**
   * What identifies the contents of a file without reading them.
   *
   * @param byteSize 0 for a directory
   * @param tag the time of modification, or an object store's entity tag
   */
  public record FileState(long byteSize, String tag) {}

  public DirectoryContents {
    files = Collections.unmodifiableSortedMap(new TreeMap<>(files));
  }

  /**
   * The version that a directory's name states: a decimal number without leading zeros that fits a
   * {@code long}. Empty if the directory is not a version's.
   */
  public static Optional<Long> version(String directory) {
    if (!DECIMAL.matcher(directory).matches()) {
      return Optional.empty();
    }
    try {
      return Optional.of(Long.parseLong(directory));
    } catch (NumberFormatException exceedsLong) {
      return Optional.empty();
    }
  }

  /**
   * What differs from earlier contents of the same directory: files that were added or removed, or
   * whose size or time differs, be it older or newer. Hidden entries of the directory itself are
   * ignored (not those of directories in it), so that a new version can be copied to {@code
   * .<name>} beside the others and then renamed.
   */
  public DirectoryChanges changesSince(DirectoryContents before) {
    SortedSet<String> paths = new TreeSet<>(before.files.keySet());
    paths.addAll(files.keySet());
    paths.removeIf(
        path -> path.startsWith(".") || Objects.equals(files.get(path), before.files.get(path)));
    return new DirectoryChanges(paths);
  }
}

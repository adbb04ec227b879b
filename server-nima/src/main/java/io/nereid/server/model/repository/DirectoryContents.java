package io.nereid.server.model.repository;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What is in a model's directory at one time. Two that are equal hold the same files, as far as
 * sizes and modification times tell.
 *
 * @param files by path below the directory, with {@code /} between names; an empty directory is an
 *     entry of its own, whose path ends with {@code /}
 */
public record DirectoryContents(SortedMap<String, FileState> files) {
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
}

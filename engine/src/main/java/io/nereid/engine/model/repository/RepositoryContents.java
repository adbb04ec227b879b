package io.nereid.engine.model.repository;

import io.nereid.error.InferenceException;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What is in a repository at one time.
 *
 * @param models the contents of their directories by name
 * @param unreadable the failures of models whose directories could not be read, by name; distinct
 *     from {@code models}
 */
public record RepositoryContents(
    SortedMap<String, DirectoryContents> models, SortedMap<String, InferenceException> unreadable) {
  public RepositoryContents {
    models = Collections.unmodifiableSortedMap(new TreeMap<>(models));
    unreadable = Collections.unmodifiableSortedMap(new TreeMap<>(unreadable));
  }
}

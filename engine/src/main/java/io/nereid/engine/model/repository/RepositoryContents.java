package io.nereid.engine.model.repository;

import io.nereid.error.InferenceException;
import java.util.Collection;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

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

  /** Reads the directories of models. */
  static RepositoryContents of(
      Collection<String> names, Function<String, Optional<DirectoryContents>> reader) {
    SortedMap<String, DirectoryContents> models = new TreeMap<>();
    SortedMap<String, InferenceException> unreadable = new TreeMap<>();
    for (String name : names) {
      try {
        reader.apply(name).ifPresent(contents -> models.put(name, contents));
      } catch (InferenceException failure) {
        unreadable.put(name, failure);
      }
    }
    return new RepositoryContents(models, unreadable);
  }
}

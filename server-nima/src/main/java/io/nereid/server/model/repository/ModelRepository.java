package io.nereid.server.model.repository;

import io.nereid.error.InferenceException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A model repository: a directory of model directories, or its equivalent in an object store.
 * Thread-safe.
 */
public interface ModelRepository {
  /** The repository as the operator wrote it; also its models' namespace. */
  String location();

  /**
   * The names of the models in it, sorted. Files are not models, nor is what begins with a dot.
   *
   * @throws InferenceException if it cannot be read
   */
  List<String> models();

  /**
   * What is in a model's directory now; empty if there is none.
   *
   * @param model any text; empty is returned for what cannot be a model's name
   * @throws InferenceException if it cannot be read, which does not mean that it is not there
   */
  Optional<DirectoryContents> contents(String model);

  /**
   * The directory to load from. That of a local repository is the model's own, whose files may
   * change at any time: who loads from it compares {@link #contents} afterwards. An object store
   * makes a copy of exactly these contents.
   *
   * @param contents from {@link #contents}
   * @throws InferenceException if it cannot be copied
   */
  Path directory(String model, DirectoryContents contents);

  /**
   * What is in the directories of all models now.
   *
   * @throws InferenceException if the repository itself cannot be read
   */
  default RepositoryContents contents() {
    SortedMap<String, DirectoryContents> models = new TreeMap<>();
    SortedMap<String, InferenceException> unreadable = new TreeMap<>();
    for (String model : models()) {
      try {
        contents(model).ifPresent(contents -> models.put(model, contents));
      } catch (InferenceException failure) {
        unreadable.put(model, failure);
      }
    }
    return new RepositoryContents(models, unreadable);
  }

  /**
   * Ends the use of a directory: no model is loaded from it any more.
   *
   * @param directory from {@link #directory}; a copy is deleted
   */
  default void release(Path directory) {}
}

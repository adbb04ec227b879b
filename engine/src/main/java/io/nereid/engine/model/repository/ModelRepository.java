package io.nereid.engine.model.repository;

import io.nereid.error.InferenceException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

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
   * makes a copy of exactly these contents, or returns the one that there is, and keeps it until it
   * is {@linkplain #release released}.
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
    return RepositoryContents.of(models(), this::contents);
  }

  /**
   * Whether the repository is one model without a layout: its directory has the files of version 1
   * in itself.
   */
  default boolean isBare() {
    return false;
  }

  /**
   * Whether a directory is a copy that this repository has made, which nothing changes. A local
   * repository makes none.
   */
  default boolean isCopy(Path directory) {
    return false;
  }

  /**
   * Ends one use of a directory: no model is loaded from it any more. A copy is deleted after as
   * many calls as there were to {@link #directory}; any other directory is ignored.
   */
  default void release(Path directory) {}
}

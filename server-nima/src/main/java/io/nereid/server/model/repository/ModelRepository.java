package io.nereid.server.model.repository;

import io.nereid.error.InferenceException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A model repository: a directory of model directories, or its equivalent in an object store. */
public interface ModelRepository {
  /** The repository as the operator wrote it; also its models' namespace. */
  String location();

  /**
   * The names of the models in it, sorted.
   *
   * @throws InferenceException if it cannot be read
   */
  List<String> models();

  /**
   * What is in a model's directory now; empty if it does not exist.
   *
   * @throws InferenceException if it cannot be read
   */
  Optional<DirectoryContents> contents(String model);

  /**
   * The directory to load from. That of a local repository is the model's own, whose files may
   * change at any time; an object store makes a copy of exactly these contents.
   *
   * @param contents from {@link #contents}
   * @throws InferenceException if it cannot be copied
   */
  Path directory(String model, DirectoryContents contents);
}

package io.nereid.engine.model.control;

import io.nereid.error.InferenceException;
import java.util.List;

/**
 * What clients may ask of the model manager: the operations of Triton's model repository extension.
 * Thread-safe. Loading and unloading block, so no event loop calls them.
 */
public interface ModelControl {
  /**
   * The models of the repositories and the states of their versions, sorted by name and version.
   *
   * @param readyOnly whether to leave out what is not ready
   */
  List<ModelIndexEntry> index(boolean readyOnly);

  /**
   * The states of the versions that were ever loaded, and of models that could not be, sorted by
   * name and version. Reads no repository, so models that were never loaded are not among them.
   */
  List<ModelIndexEntry> known();

  /**
   * Checks what needs no parameters, before those of a load are read.
   *
   * @throws InferenceException as {@link #load} does
   */
  void requireLoadable(String model);

  /**
   * Checks what needs no parameters, before those of an unload are read.
   *
   * @throws InferenceException as {@link #unload} does
   */
  void requireUnloadable();

  /**
   * Loads or reloads a model; returns once it serves. A model that has not changed since it was
   * loaded is left as it is.
   *
   * @throws InferenceException with Triton's status and message; what served before then serves on
   */
  void load(String model, LoadParameters parameters);

  /**
   * Unloads all versions of a model, and the ensembles that use it; returns once none of them
   * accepts requests. Their requests in flight finish. An unknown model is ignored.
   *
   * @param unloadDependents whether to unload also the models of an ensemble that were loaded for
   *     it alone
   * @throws InferenceException UNAVAILABLE unless the control mode is explicit
   */
  void unload(String model, boolean unloadDependents);
}

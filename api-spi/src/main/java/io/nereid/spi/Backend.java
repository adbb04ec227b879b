package io.nereid.spi;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import java.util.List;

/**
 * An open backend: the native library, devices and settings that all its models share.
 *
 * <p>The threads that load models call its methods: concurrently for different models, one call at
 * a time for the same model.
 */
public interface Backend extends AutoCloseable {
  /**
   * Completes a configuration from the model's file. A backend may set the maximum batch size, the
   * inputs and outputs, a scheduler if there is none, whether the model is decoupled, and
   * parameters that the configuration does not state; the server ignores other changes.
   *
   * @return the completed configuration; {@code config} itself if there is nothing to add
   * @throws InferenceException if the file cannot be read, or contradicts the configuration; the
   *     message contains both values
   */
  default ModelConfig complete(ModelFiles files, ModelConfig config) {
    return config;
  }

  /**
   * What of a completed configuration this backend leaves out, although the model loads and answers
   * as it should: an accelerator that it lacks, for example. A sentence each, which names the
   * model, for the log, the repository index and {@code lint}. What cannot be obeyed otherwise is a
   * failure of {@link #complete} or {@link #load}.
   */
  default List<String> warnings(ModelConfig config) {
    return List.of();
  }

  /**
   * Whether a load of a model may run code that the model brings: a class, a script, a library. If
   * not, the command {@code lint} loads the model and closes it, to find what only a load finds;
   * else it calls {@link #complete} and {@link #warnings} only.
   *
   * @param config completed
   */
  default boolean runsCodeOf(ModelConfig config) {
    return true;
  }

  /** The number of instances on a device of that kind for a model whose configuration sets none. */
  default int defaultInstanceCount(InstanceSettings.Kind kind) {
    return 1;
  }

  /**
   * The ids of the GPUs on which instances can run, ascending. The server expands {@code KIND_AUTO}
   * and {@code KIND_GPU} to them, and rejects configurations that name others. Called before each
   * load.
   */
  default List<Integer> gpus() {
    return List.of();
  }

  /**
   * Loads what the instances of a model share. {@link Model#open} then opens each instance.
   *
   * @param config as {@link #complete} returned it, checked by the server
   * @throws InferenceException if the model cannot be loaded; the message names model, file and
   *     cause
   */
  Model load(ModelFiles files, ModelConfig config);

  /**
   * Loads a model version that may call other models on its own behalf. The server calls this
   * method; by default it calls the one above.
   *
   * @param calls until {@link Model#close}, or until this method throws
   * @throws InferenceException as above
   */
  default Model load(ModelFiles files, ModelConfig config, OwnCalls calls) {
    return load(files, config);
  }

  /**
   * Cancels calls of {@link #complete}, {@link #load} and {@link Model#open} that take long, such
   * as a compilation of the model for a device: they fail as UNAVAILABLE soon. Called by any
   * thread, once, when the server stops; the server waits for these calls.
   */
  default void cancelLoads() {}

  /**
   * Opens memory of a GPU that another process has allocated, as clients register it by Triton's
   * CUDA shared memory extension. Called by any thread, and only if {@link
   * BackendProvider#sharesDeviceMemory} is true.
   *
   * @param gpu the id of the GPU on which the memory was allocated
   * @param handle a {@code cudaIpcMemHandle_t}: 64 bytes
   * @param byteSize how much of the memory is to be used, 0 or more
   * @return owned by the server, which closes it before this backend
   * @throws InferenceException INVALID_ARGUMENT if the handle is of no such memory, or the memory
   *     is smaller; the message says which
   */
  default SharedDeviceMemory openSharedMemory(int gpu, byte[] handle, long byteSize) {
    throw InferenceException.unsupported("this backend opens no memory of other processes");
  }

  /**
   * Frees the backend's resources. Called once, after all its models and what it has opened are
   * closed; never throws.
   */
  @Override
  void close();
}

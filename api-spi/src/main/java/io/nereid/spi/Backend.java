package io.nereid.spi;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;

/**
 * An open backend: what its models share. Methods are called by the thread that loads models, one
 * call at a time for a model, several at once for different ones.
 */
public interface Backend extends AutoCloseable {
  /**
   * Fills in what the model's own file knows better than {@code config.pbtxt}: maximum batch size,
   * inputs, outputs, a scheduler if none is set, and whether it is decoupled; other changes are
   * ignored. What the configuration states already and the file contradicts is an error.
   *
   * @return the completed configuration; {@code config} itself if there is nothing to add
   * @throws InferenceException if configuration and file disagree, naming both sides, or the file
   *     cannot be read
   */
  default ModelConfig complete(ModelFiles files, ModelConfig config) {
    return config;
  }

  /** The number of instances to run of a model that does not say, on that kind of device. */
  default int defaultInstanceCount(InstanceSettings.Kind kind) {
    return 1;
  }

  /**
   * Loads a model: whatever all of its instances share.
   *
   * @param config complete; the instances' settings come one by one in {@link Model#open}
   * @throws InferenceException naming file and model, and why it cannot be loaded
   */
  Model load(ModelFiles files, ModelConfig config);

  /**
   * Frees what the backend holds. Called once, last, after all its models are closed; never throws.
   */
  @Override
  void close();
}

package io.nereid.engine.model.config;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import java.util.List;

/**
 * The completed, normalised and validated configuration of one version of a model.
 *
 * @param message the whole configuration, as the model configuration endpoint returns it
 * @param settings the part that backends and schedulers read
 * @param instances its instances, including passive ones
 * @param isBatchSizeCompleted whether the backend has set the maximum batch size, and not the
 *     author of the configuration
 */
public record ModelConfiguration(
    io.nereid.protocol.config.ModelConfig message,
    ModelConfig settings,
    List<InstanceSettings> instances,
    boolean isBatchSizeCompleted) {
  public ModelConfiguration {
    instances = List.copyOf(instances);
  }
}

package io.nereid.server.model.config;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import java.util.List;

/**
 * What one version of a model is loaded with: completed, normalised and checked. A value.
 *
 * @param message the whole truth, as {@code /config} shows it
 * @param settings what backends and schedulers read of it
 * @param instances its instance groups, expanded; passive ones included
 */
public record ModelConfiguration(
    io.nereid.server.protobuf.ModelConfig message,
    ModelConfig settings,
    List<InstanceSettings> instances) {
  public ModelConfiguration {
    instances = List.copyOf(instances);
  }
}

package io.nereid.config;

import java.util.List;

/**
 * One loaded copy of a model: a line of {@code instance_group}, expanded.
 *
 * @param name group name and index, such as {@code resnet_0_1}
 * @param kind where it runs; never {@link Kind#KIND_AUTO} once the server has resolved it
 * @param deviceId the GPU's number; 0 for a CPU
 * @param profiles TensorRT optimisation profiles
 * @param passive loaded and kept, never scheduled
 */
public record InstanceSettings(
    String name, Kind kind, int deviceId, List<String> profiles, boolean passive) {
  /** Where an instance runs. */
  public enum Kind {
    KIND_AUTO,
    KIND_GPU,
    KIND_CPU,
    KIND_MODEL
  }

  public InstanceSettings {
    profiles = List.copyOf(profiles);
  }

  /** The same under another name. */
  public InstanceSettings named(String otherName) {
    return new InstanceSettings(otherName, kind, deviceId, profiles, passive);
  }
}

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
 * @param rateLimiter what it holds while it runs; of no concern to a backend
 */
public record InstanceSettings(
    String name,
    Kind kind,
    int deviceId,
    List<String> profiles,
    boolean passive,
    RateLimiterSettings rateLimiter) {
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

  /** An instance that asks nothing of the rate limiter. */
  public InstanceSettings(
      String name, Kind kind, int deviceId, List<String> profiles, boolean passive) {
    this(name, kind, deviceId, profiles, passive, RateLimiterSettings.NONE);
  }

  /** The same under another name. */
  public InstanceSettings named(String otherName) {
    return new InstanceSettings(otherName, kind, deviceId, profiles, passive, rateLimiter);
  }
}

package io.nereid.config;

import java.util.List;

/**
 * The settings of one instance: an entry of {@code instance_group}, expanded by its count.
 *
 * @param name group name and index, such as {@code resnet_0_1}
 * @param kind where it runs; never {@link Kind#KIND_AUTO} when a backend receives it
 * @param deviceId number of the GPU; 0 for a CPU
 * @param profiles TensorRT optimisation profiles
 * @param passive whether it is loaded but never scheduled
 * @param rateLimiter resources that it acquires to run; backends need not read it
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

  /** Settings of an instance that needs no resources of the rate limiter. */
  public InstanceSettings(
      String name, Kind kind, int deviceId, List<String> profiles, boolean passive) {
    this(name, kind, deviceId, profiles, passive, RateLimiterSettings.NONE);
  }

  /** These settings under another name. */
  public InstanceSettings named(String otherName) {
    return new InstanceSettings(otherName, kind, deviceId, profiles, passive, rateLimiter);
  }
}

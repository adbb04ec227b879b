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
 * @param hostPolicy the name of its host policy, which the server has applied to the thread that
 *     opens the instance; {@link #defaultHostPolicy} unless the configuration names another
 * @param secondaryDevices further devices that it may use, as configured
 */
public record InstanceSettings(
    String name,
    Kind kind,
    int deviceId,
    List<String> profiles,
    boolean passive,
    RateLimiterSettings rateLimiter,
    String hostPolicy,
    List<SecondaryDevice> secondaryDevices) {
  /** Where an instance runs. */
  public enum Kind {
    KIND_AUTO,
    KIND_GPU,
    KIND_CPU,
    KIND_MODEL
  }

  /**
   * A device beside that of {@link #deviceId}.
   *
   * @param kind the name of its kind in the configuration, such as {@code KIND_NVDLA}
   */
  public record SecondaryDevice(String kind, long deviceId) {}

  public InstanceSettings {
    profiles = List.copyOf(profiles);
    secondaryDevices = List.copyOf(secondaryDevices);
  }

  /** Settings of an instance with the default host policy and no secondary devices. */
  public InstanceSettings(
      String name,
      Kind kind,
      int deviceId,
      List<String> profiles,
      boolean passive,
      RateLimiterSettings rateLimiter) {
    this(
        name,
        kind,
        deviceId,
        profiles,
        passive,
        rateLimiter,
        defaultHostPolicy(kind, deviceId),
        List.of());
  }

  /** Settings of an instance that needs no resources of the rate limiter. */
  public InstanceSettings(
      String name, Kind kind, int deviceId, List<String> profiles, boolean passive) {
    this(name, kind, deviceId, profiles, passive, RateLimiterSettings.NONE);
  }

  /** These settings under another name. */
  public InstanceSettings named(String otherName) {
    return new InstanceSettings(
        otherName, kind, deviceId, profiles, passive, rateLimiter, hostPolicy, secondaryDevices);
  }

  /** The host policy of an instance that names none: that of its device. */
  public static String defaultHostPolicy(Kind kind, int deviceId) {
    return switch (kind) {
      case KIND_GPU -> "gpu_" + deviceId;
      case KIND_MODEL -> "model";
      case KIND_CPU, KIND_AUTO -> "cpu";
    };
  }
}

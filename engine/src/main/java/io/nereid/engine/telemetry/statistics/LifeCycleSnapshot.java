package io.nereid.engine.telemetry.statistics;

import java.util.List;
import java.util.OptionalLong;

/**
 * The states of all model versions at one moment, and how often models were loaded and unloaded
 * since the server started.
 *
 * @param states sorted by model and version
 * @param loads versions that were loaded or reloaded
 * @param failedLoads versions that could not be, and models that failed before one began to load
 * @param unloads versions that were unloaded or replaced
 */
public record LifeCycleSnapshot(
    List<VersionState> states, long loads, long failedLoads, long unloads) {
  /**
   * The state of a version.
   *
   * @param namespace empty unless models are kept apart by namespaces
   * @param version empty if the model failed before its versions were known
   * @param state as the repository index spells it
   */
  public record VersionState(String namespace, String model, OptionalLong version, String state) {}

  public LifeCycleSnapshot {
    states = List.copyOf(states);
  }
}

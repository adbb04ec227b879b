package io.nereid.engine.model.control;

import io.nereid.engine.model.Readiness;
import io.nereid.engine.model.config.ConfigSettings;
import io.nereid.engine.model.control.operation.LoadLimits;
import java.time.Duration;
import java.util.List;

/**
 * The operator's settings for the models of a server.
 *
 * @param startupModels in explicit mode: the models to load at start; {@code *} alone for all
 * @param pollInterval in poll mode: the time between two polls; zero for no poll
 * @param readiness what the server needs of its models to be ready
 * @param namespacing whether models of different repositories may have the same name
 */
public record ControlSettings(
    ControlMode mode,
    List<String> startupModels,
    Duration pollInterval,
    Readiness readiness,
    boolean namespacing,
    Loads loads,
    ConfigSettings configs) {
  /**
   * How versions load.
   *
   * @param threads how many load concurrently
   * @param limits the longest that the load of a version, or its close, may take
   * @param retries how many times a version that failed to load is tried again
   */
  public record Loads(int threads, LoadLimits limits, int retries) {}

  public ControlSettings {
    startupModels = List.copyOf(startupModels);
  }
}

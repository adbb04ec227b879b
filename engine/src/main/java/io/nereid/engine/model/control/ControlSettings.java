package io.nereid.engine.model.control;

import io.nereid.engine.model.Readiness;
import io.nereid.engine.model.config.validation.ConfigLimits;
import io.nereid.engine.model.control.operation.LoadLimits;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The operator's settings for the models of a server.
 *
 * @param startupModels in explicit mode: the models to load at start; {@code *} alone for all
 * @param pollInterval in poll mode: the time between two polls; zero for no poll
 * @param readiness what the server needs of its models to be ready
 * @param loadThreads how many versions load concurrently
 * @param loadRetries how many times a version that failed to load is tried again
 * @param loadLimits the longest that the load of a version, or its close, may take
 * @param autoComplete whether backends complete configurations
 * @param configName the preferred file of a model's {@code configs}
 * @param namespacing whether models of different repositories may have the same name
 * @param limits of configurations
 */
public record ControlSettings(
    ControlMode mode,
    List<String> startupModels,
    Duration pollInterval,
    Readiness readiness,
    int loadThreads,
    int loadRetries,
    LoadLimits loadLimits,
    boolean autoComplete,
    Optional<String> configName,
    boolean namespacing,
    ConfigLimits limits) {
  public ControlSettings {
    startupModels = List.copyOf(startupModels);
  }

  /** Loads all models at start, with as many threads; otherwise Triton's defaults. */
  public static ControlSettings of(int loadThreads) {
    return new ControlSettings(
        ControlMode.NONE,
        List.of(),
        Duration.ofSeconds(15),
        Readiness.SERVING,
        loadThreads,
        0,
        LoadLimits.DEFAULT,
        true,
        Optional.empty(),
        false,
        ConfigLimits.DEFAULT);
  }
}

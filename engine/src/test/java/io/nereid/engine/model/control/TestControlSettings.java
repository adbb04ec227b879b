package io.nereid.engine.model.control;

import io.nereid.engine.model.Readiness;
import io.nereid.engine.model.config.ConfigSettings;
import io.nereid.engine.model.control.operation.LoadLimits;
import java.time.Duration;
import java.util.List;

/** Settings of control that are Triton's defaults but for the number of threads that load. */
public final class TestControlSettings {
  private TestControlSettings() {}

  /** Loads all models at start, with as many threads. */
  public static ControlSettings of(int loadThreads) {
    return new ControlSettings(
        ControlMode.NONE,
        List.of(),
        Duration.ofSeconds(15),
        Readiness.SERVING,
        false,
        loads(loadThreads),
        ConfigSettings.DEFAULT);
  }

  /** As many threads, and the defaults. */
  public static ControlSettings.Loads loads(int threads) {
    return new ControlSettings.Loads(threads, LoadLimits.DEFAULT, 0);
  }
}

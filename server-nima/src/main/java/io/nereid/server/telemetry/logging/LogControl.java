package io.nereid.server.telemetry.logging;

import io.nereid.error.InferenceException;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * The present settings of the log. A request that changes several applies them one after the other,
 * and those before one that is refused stay applied, as in Triton. Thread-safe.
 */
public final class LogControl {
  private final Consumer<LogSettings> effect;
  private volatile LogSettings settings;

  /**
   * @param effect applies settings; called by the thread that changes them
   */
  public LogControl(LogSettings settings, Consumer<LogSettings> effect) {
    this.settings = settings;
    this.effect = effect;
  }

  public LogSettings settings() {
    return settings;
  }

  public synchronized void change(UnaryOperator<LogSettings> change) {
    settings = change.apply(settings);
    effect.accept(settings);
  }

  /**
   * Sets the level of details.
   *
   * @throws InferenceException INVALID_ARGUMENT unless it is from 0 to 2^31 - 1
   */
  public void verboseLevel(long level) {
    if (level != Math.clamp(level, 0, Integer.MAX_VALUE)) {
      throw InferenceException.invalid("expect int32 for 'log_verbose_level'");
    }
    change(settings -> settings.withVerboseLevel((int) level));
  }

  /** The refusal of a request that names a file. */
  public static InferenceException fixedFile() {
    return InferenceException.unsupported(
        "log file location can not be updated through network protocol");
  }
}

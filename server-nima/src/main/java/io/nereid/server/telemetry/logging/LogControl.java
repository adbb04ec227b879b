package io.nereid.server.telemetry.logging;

import io.nereid.engine.telemetry.ClientSettings;
import io.nereid.error.InferenceException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * The present settings of the log. A request that changes several applies them one after the other,
 * and those before one that is refused stay applied, as in Triton. Thread-safe.
 */
public final class LogControl {
  /** The level up to which clients may ask for details. */
  private static final int MAX_CLIENT_LEVEL = 1;

  private final LogSettings start;
  private final ClientSettings clients;
  private final Consumer<LogSettings> effect;
  private final LongSupplier lostLines;
  private final LogTail tail;
  private volatile LogSettings settings;

  /**
   * @param clients what clients may change
   * @param effect applies settings; called by the thread that changes them
   */
  public LogControl(LogSettings settings, ClientSettings clients, Consumer<LogSettings> effect) {
    this(settings, clients, effect, () -> 0, new LogTail(0));
  }

  /**
   * As the other.
   *
   * @param lostLines how many lines could not be written
   * @param tail the last lines
   */
  public LogControl(
      LogSettings settings,
      ClientSettings clients,
      Consumer<LogSettings> effect,
      LongSupplier lostLines,
      LogTail tail) {
    this.tail = tail;
    this.lostLines = lostLines;
    this.start = settings;
    this.settings = settings;
    this.clients = clients;
    this.effect = effect;
  }

  /** How many lines of the log could not be written. */
  public long lostLines() {
    return lostLines.getAsLong();
  }

  /** The last lines; none where the console is not served, or the log is another program's. */
  public LogTail tail() {
    return tail;
  }

  public LogSettings settings() {
    return settings;
  }

  /**
   * Changes settings for a client.
   *
   * @throws InferenceException INVALID_ARGUMENT if clients may not change them so
   */
  public synchronized void change(UnaryOperator<LogSettings> change) {
    LogSettings changed = change.apply(settings);
    requireAllowed(changed);
    settings = changed;
    effect.accept(changed);
  }

  /** What the operator has chosen at the start is always allowed. */
  private void requireAllowed(LogSettings changed) {
    if (clients == ClientSettings.ALL || changed.equals(settings)) {
      return;
    }
    int level = Math.max(MAX_CLIENT_LEVEL, start.verboseLevel());
    if (clients == ClientSettings.NONE) {
      throw clients.refusal("");
    }
    if (start.error() && !changed.error()) {
      throw clients.refusal("'log_error' false: clients may not hide errors");
    }
    if (start.warning() && !changed.warning()) {
      throw clients.refusal("'log_warning' false: clients may not hide warnings");
    }
    if (start.info() && !changed.info()) {
      throw clients.refusal("'log_info' false: clients may not hide information");
    }
    if (changed.format() != start.format() && changed.format() != settings.format()) {
      throw clients.refusal("'log_format': clients may not change what others read");
    }
    if (changed.verboseLevel() > level) {
      throw clients.refusal(
          "'log_verbose_level' %d: clients may set at most %d"
              .formatted(changed.verboseLevel(), level));
    }
  }

  /**
   * Sets the level of details.
   *
   * @throws InferenceException INVALID_ARGUMENT unless it is from 0 to 2^31 - 1, and allowed
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

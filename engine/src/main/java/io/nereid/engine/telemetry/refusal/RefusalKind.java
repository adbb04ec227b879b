package io.nereid.engine.telemetry.refusal;

import java.lang.System.Logger.Level;
import java.util.Locale;

/** A reason why something of a client is refused or ended: a constant of a front end's enum. */
public interface RefusalKind {
  /** The name of the constant. */
  String name();

  /** What happens to clients, for the log. */
  String event();

  /** How it is logged. */
  default Level level() {
    return Level.WARNING;
  }

  /** The label of the metric. */
  default String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}

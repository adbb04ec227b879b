package io.nereid.server.engine;

import io.nereid.server.telemetry.logging.LogControl;
import io.nereid.server.telemetry.logging.LogSettings;

/** What clients may change while the server runs, on both protocols. */
public record RuntimeSettings(LogControl log) {
  /** Settings without an effect on the log of the process. */
  public static RuntimeSettings detached() {
    return new RuntimeSettings(new LogControl(LogSettings.DEFAULT, _ -> {}));
  }
}

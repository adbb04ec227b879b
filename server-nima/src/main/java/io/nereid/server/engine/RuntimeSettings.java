package io.nereid.server.engine;

import io.nereid.server.telemetry.logging.LogControl;
import io.nereid.server.telemetry.logging.LogSettings;
import io.nereid.server.telemetry.trace.TraceSettings;
import io.nereid.server.telemetry.trace.TraceSink;
import io.nereid.server.telemetry.trace.Tracer;

/** What clients may change while the server runs, on both protocols. */
public record RuntimeSettings(LogControl log, Tracer tracer) {
  /** Settings without an effect on the log of the process, and without a place for traces. */
  public static RuntimeSettings detached() {
    return new RuntimeSettings(
        new LogControl(LogSettings.DEFAULT, _ -> {}),
        new Tracer(TraceSettings.DEFAULT, () -> 0, TraceSink.NONE));
  }
}

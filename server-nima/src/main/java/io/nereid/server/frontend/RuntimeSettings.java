package io.nereid.server.frontend;

import io.nereid.engine.telemetry.ClientSettings;
import io.nereid.engine.telemetry.trace.TraceSettings;
import io.nereid.engine.telemetry.trace.TraceSink;
import io.nereid.engine.telemetry.trace.Tracer;
import io.nereid.server.telemetry.access.AccessLog;
import io.nereid.server.telemetry.logging.LogControl;
import io.nereid.server.telemetry.logging.LogSettings;
import java.util.Optional;

/**
 * What the front ends record of requests, and what clients may change of that while the server
 * runs.
 *
 * @param accessLog the access log, if there is one
 */
public record RuntimeSettings(LogControl log, Tracer tracer, Optional<AccessLog> accessLog) {
  /** Settings without an effect on the log of the process, and without a place for traces. */
  public static RuntimeSettings detached() {
    return new RuntimeSettings(
        new LogControl(LogSettings.DEFAULT, ClientSettings.SAFE, _ -> {}),
        new Tracer(TraceSettings.DEFAULT, ClientSettings.SAFE, () -> 0, TraceSink.NONE),
        Optional.empty());
  }
}

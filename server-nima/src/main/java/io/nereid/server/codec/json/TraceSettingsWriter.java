package io.nereid.server.codec.json;

import io.nereid.engine.telemetry.trace.TraceDestination;
import io.nereid.engine.telemetry.trace.TraceSettings;
import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.json.document.JsonText;

/** A writer of the response of {@code .../trace/setting}. */
public final class TraceSettingsWriter {
  private static final int USUAL_SIZE = 160;

  private TraceSettingsWriter() {}

  /** The body: an object, members in Triton's order, numbers as strings. */
  public static byte[] write(TraceSettings settings) {
    var json = new ByteSink(USUAL_SIZE);
    json.putAscii("{\"trace_level\":[\"");
    json.putAscii(String.join("\",\"", settings.levelNames()));
    json.putAscii("\"],\"trace_rate\":\"" + settings.rate());
    json.putAscii("\",\"trace_count\":\"" + settings.count());
    json.putAscii("\",");
    if (settings.destination() instanceof TraceDestination.Files(String path, _, _, _)) {
      json.putAscii("\"log_frequency\":\"" + settings.logFrequency());
      json.putAscii("\",\"trace_file\":");
      JsonText.putString(json, path);
      json.putAscii(",");
    }
    json.putAscii("\"trace_mode\":\"" + settings.destination().mode() + "\"");
    settings
        .destination()
        .shown()
        .forEach((name, value) -> {
          json.putAscii(",");
          JsonText.putString(json, name);
          json.putAscii(":");
          JsonText.putString(json, value);
        });
    json.putAscii("}");
    return json.toByteArray();
  }
}

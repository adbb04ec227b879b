package io.nereid.server.codec.json.control;

import io.nereid.engine.telemetry.trace.TraceDestination;
import io.nereid.engine.telemetry.trace.TraceSettings;
import java.util.Map;

/** A writer of the response of {@code .../trace/setting}. */
public final class TraceSettingsWriter {
  private TraceSettingsWriter() {}

  /** The body: an object, members in Triton's order, numbers as strings. */
  public static byte[] write(TraceSettings settings) {
    return JsonBody.of(json -> {
      json.beginObject().name("trace_level").beginArray();
      for (String level : settings.levelNames()) {
        json.value(level);
      }
      json.endArray();
      json.name("trace_rate").value(String.valueOf(settings.rate()));
      json.name("trace_count").value(String.valueOf(settings.count()));
      if (settings.destination() instanceof TraceDestination.Files(String path, _, _, _)) {
        json.name("log_frequency").value(String.valueOf(settings.logFrequency()));
        json.name("trace_file").value(path);
      }
      json.name("trace_mode").value(settings.destination().mode());
      for (Map.Entry<String, String> shown : settings.destination().shown().entrySet()) {
        json.name(shown.getKey()).value(shown.getValue());
      }
      json.endObject();
    });
  }
}

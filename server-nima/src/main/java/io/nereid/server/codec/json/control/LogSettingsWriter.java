package io.nereid.server.codec.json.control;

import io.nereid.server.telemetry.logging.LogSettings;

/** A writer of the response of {@code /v2/logging}. */
public final class LogSettingsWriter {
  private LogSettingsWriter() {}

  /** The body: an object, members in Triton's order. */
  public static byte[] write(LogSettings settings) {
    return JsonBody.of(json -> {
      json.beginObject();
      json.name("log_file").value(settings.file());
      json.name("log_info").value(settings.info());
      json.name("log_warning").value(settings.warning());
      json.name("log_error").value(settings.error());
      json.name("log_verbose_level").value(settings.verboseLevel());
      json.name("log_format").value(settings.format().toString());
      json.endObject();
    });
  }
}

package io.nereid.server.codec.json;

import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.json.document.JsonText;
import io.nereid.server.telemetry.logging.LogSettings;

/** A writer of the response of {@code /v2/logging}. */
public final class LogSettingsWriter {
  private static final int USUAL_SIZE = 160;

  private LogSettingsWriter() {}

  /** The body: an object, members in Triton's order. */
  public static byte[] write(LogSettings settings) {
    var json = new ByteSink(USUAL_SIZE);
    json.putAscii("{\"log_file\":");
    JsonText.putString(json, settings.file());
    json.putAscii(",\"log_info\":" + settings.info());
    json.putAscii(",\"log_warning\":" + settings.warning());
    json.putAscii(",\"log_error\":" + settings.error());
    json.putAscii(",\"log_verbose_level\":" + settings.verboseLevel());
    json.putAscii(",\"log_format\":\"" + settings.format() + "\"}");
    return json.toByteArray();
  }
}

package io.nereid.server.codec.json.control;

import io.nereid.error.InferenceException;
import io.nereid.server.codec.RequestLimits;
import io.nereid.server.codec.json.document.JsonDocument;
import io.nereid.server.codec.json.document.JsonValue;
import io.nereid.server.telemetry.logging.LogControl;
import io.nereid.server.telemetry.logging.LogFormat;
import io.nereid.server.telemetry.logging.LogSettings;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The bodies of {@code /v2/logging}: JSON. Texts and order of checks are Triton's; a member that is
 * null, or has another name, is ignored.
 */
public final class LogSettingsJson {
  private LogSettingsJson() {}

  /**
   * Applies the settings of a body one after the other.
   *
   * @return all settings
   * @throws InferenceException for the first that is refused; INTERNAL for malformed JSON and
   *     values of another type
   */
  public static LogSettings apply(MemorySegment body, LogControl log) {
    JsonValue root = JsonDocument.parse(body).root();
    if (given(root, "log_file").isPresent()) {
      throw LogControl.fixedFile();
    }
    given(root, "log_info")
        .map(JsonValue::asBoolean)
        .ifPresent(shown -> log.change(settings -> settings.withInfo(shown)));
    given(root, "log_warning")
        .map(JsonValue::asBoolean)
        .ifPresent(shown -> log.change(settings -> settings.withWarning(shown)));
    given(root, "log_error")
        .map(JsonValue::asBoolean)
        .ifPresent(shown -> log.change(settings -> settings.withError(shown)));
    given(root, "log_verbose_level").map(JsonValue::asUnsignedLong).ifPresent(log::verboseLevel);
    given(root, "log_format")
        .map(value -> value.asString("the value of log_format", RequestLimits.MAX_NAME))
        .map(LogSettingsJson::format)
        .ifPresent(format -> log.change(settings -> settings.withFormat(format)));
    return log.settings();
  }

  private static Optional<JsonValue> given(JsonValue root, String name) {
    return root.member(name).filter(value -> !value.isNull()).map(JsonValue::withoutLabel);
  }

  private static LogFormat format(String text) {
    return LogFormat.parse(text)
        .orElseThrow(() ->
            InferenceException.unavailable("invalid argument for --log_format, got: " + text));
  }

  /** The body of a response: an object, members in Triton's order. */
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

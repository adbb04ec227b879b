package io.nereid.server.codec.protobuf;

import io.nereid.error.InferenceException;
import io.nereid.protocol.inference.LogSettingsRequest;
import io.nereid.protocol.inference.LogSettingsRequest.SettingValue.ParameterChoiceCase;
import io.nereid.protocol.inference.LogSettingsResponse;
import io.nereid.protocol.inference.LogSettingsResponse.SettingValue;
import io.nereid.server.telemetry.logging.LogControl;
import io.nereid.server.telemetry.logging.LogFormat;
import io.nereid.server.telemetry.logging.LogSettings;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The messages of {@code LogSettings}. Texts and order of checks are Triton's; a setting of another
 * name is ignored.
 */
public final class LogSettingsMessages {
  private LogSettingsMessages() {}

  /**
   * Applies the settings of a request one after the other.
   *
   * @throws InferenceException for the first that is refused: UNSUPPORTED for the file, else
   *     INVALID_ARGUMENT
   */
  public static void apply(LogSettingsRequest request, LogControl log) {
    Map<String, LogSettingsRequest.SettingValue> settings = request.getSettingsMap();
    if (settings.containsKey("log_file")) {
      throw LogControl.fixedFile();
    }
    bool(settings, "log_info").ifPresent(shown -> log.change(each -> each.withInfo(shown)));
    bool(settings, "log_warning").ifPresent(shown -> log.change(each -> each.withWarning(shown)));
    bool(settings, "log_error").ifPresent(shown -> log.change(each -> each.withError(shown)));
    LogSettingsRequest.SettingValue level =
        checked(settings, "log_verbose_level", ParameterChoiceCase.UINT32_PARAM, "int32");
    if (level != null) {
      log.verboseLevel(Integer.toUnsignedLong(level.getUint32Param()));
    }
    LogSettingsRequest.SettingValue format =
        checked(settings, "log_format", ParameterChoiceCase.STRING_PARAM, "string");
    if (format != null) {
      LogFormat parsed = format(format.getStringParam());
      log.change(each -> each.withFormat(parsed));
    }
  }

  private static Optional<Boolean> bool(
      Map<String, LogSettingsRequest.SettingValue> settings, String name) {
    return Optional.ofNullable(checked(settings, name, ParameterChoiceCase.BOOL_PARAM, "boolean"))
        .map(LogSettingsRequest.SettingValue::getBoolParam);
  }

  /** The value of a setting; null if the request has none. */
  private static LogSettingsRequest.@Nullable SettingValue checked(
      Map<String, LogSettingsRequest.SettingValue> settings,
      String name,
      ParameterChoiceCase expected,
      String type) {
    LogSettingsRequest.SettingValue value = settings.get(name);
    if (value != null && value.getParameterChoiceCase() != expected) {
      throw InferenceException.invalid("expect %s for '%s'".formatted(type, name));
    }
    return value;
  }

  private static LogFormat format(String text) {
    return LogFormat.parse(text)
        .orElseThrow(
            () -> InferenceException.invalid("invalid argument for log_format, got: " + text));
  }

  /** The response: all settings. */
  public static LogSettingsResponse write(LogSettings settings) {
    return LogSettingsResponse.newBuilder()
        .putSettings("log_file", text(settings.file()))
        .putSettings("log_info", bool(settings.info()))
        .putSettings("log_warning", bool(settings.warning()))
        .putSettings("log_error", bool(settings.error()))
        .putSettings(
            "log_verbose_level",
            SettingValue.newBuilder().setUint32Param(settings.verboseLevel()).build())
        .putSettings("log_format", text(settings.format().toString()))
        .build();
  }

  private static SettingValue bool(boolean value) {
    return SettingValue.newBuilder().setBoolParam(value).build();
  }

  private static SettingValue text(String value) {
    return SettingValue.newBuilder().setStringParam(value).build();
  }
}

package io.nereid.server.codec.protobuf;

import io.nereid.engine.telemetry.trace.TraceDestination;
import io.nereid.engine.telemetry.trace.TraceOverrides;
import io.nereid.engine.telemetry.trace.TraceSettings;
import io.nereid.error.InferenceException;
import io.nereid.protocol.inference.TraceSettingRequest;
import io.nereid.protocol.inference.TraceSettingResponse;
import io.nereid.protocol.inference.TraceSettingResponse.SettingValue;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The messages of {@code TraceSetting}. Texts and order of checks are Triton's; a setting of
 * another name is ignored, and one without a value is cleared.
 */
public final class TraceSettingMessages {
  private TraceSettingMessages() {}

  /**
   * Settings with the changes that a request asks for.
   *
   * @throws InferenceException for the first setting that is refused: UNSUPPORTED for the file,
   *     else INVALID_ARGUMENT
   */
  public static TraceOverrides change(TraceSettingRequest request, TraceOverrides present) {
    Map<String, TraceSettingRequest.SettingValue> given = request.getSettingsMap();
    TraceOverrides changed = present;
    if (given.containsKey("trace_file")) {
      throw TraceOverrides.fixedFile();
    }
    if (given.containsKey("trace_level")) {
      List<String> names = values(given, "trace_level");
      var levels = TraceOverrides.parseLevels(names);
      if (names.isEmpty() || levels != null) {
        changed = changed.withLevels(levels);
      }
    }
    if (given.containsKey("trace_rate")) {
      changed =
          changed.withRate(
              single(
                  given, "trace_rate", text -> TraceOverrides.parseUnsigned("trace_rate", text)));
    }
    if (given.containsKey("trace_count")) {
      changed =
          changed.withCount(
              single(given, "trace_count", text -> TraceOverrides.parseCount(text, "got: ")));
    }
    if (given.containsKey("log_frequency")) {
      changed =
          changed.withLogFrequency(
              single(
                  given,
                  "log_frequency",
                  text -> TraceOverrides.parseUnsigned("log_frequency", text)));
    }
    return changed;
  }

  private static List<String> values(
      Map<String, TraceSettingRequest.SettingValue> given, String name) {
    return Objects.requireNonNull(given.get(name)).getValueList();
  }

  /** The only value of a setting; null if it has none. */
  private static <T> @Nullable T single(
      Map<String, TraceSettingRequest.SettingValue> given,
      String name,
      Function<String, T> parsing) {
    List<String> values = values(given, name);
    if (values.size() > 1) {
      throw InferenceException.invalid("expect only 1 value for '%s'".formatted(name));
    }
    return values.isEmpty() ? null : parsing.apply(values.getFirst());
  }

  /** The response: all settings. */
  public static TraceSettingResponse write(TraceSettings settings) {
    var response =
        TraceSettingResponse.newBuilder()
            .putSettings(
                "trace_level", SettingValue.newBuilder().addAllValue(settings.levelNames()).build())
            .putSettings("trace_rate", value(Long.toString(settings.rate())))
            .putSettings("trace_count", value(Integer.toString(settings.count())))
            .putSettings("trace_mode", value(settings.destination().mode()));
    if (settings.destination() instanceof TraceDestination.Files(String path, _, _, _)) {
      response
          .putSettings("log_frequency", value(Long.toString(settings.logFrequency())))
          .putSettings("trace_file", value(path));
    }
    settings.destination().shown().forEach((name, text) -> response.putSettings(name, value(text)));
    return response.build();
  }

  private static SettingValue value(String text) {
    return SettingValue.newBuilder().addValue(text).build();
  }
}

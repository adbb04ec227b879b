package io.nereid.server.codec.json.control;

import io.nereid.engine.telemetry.trace.TraceDestination;
import io.nereid.engine.telemetry.trace.TraceOverrides;
import io.nereid.engine.telemetry.trace.TraceSettings;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.RequestLimits;
import io.nereid.server.codec.json.document.JsonDocument;
import io.nereid.server.codec.json.document.JsonValue;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The bodies of {@code .../trace/setting}: JSON. Texts and order of checks are Triton's; a member
 * of another name is ignored, and null clears a setting.
 */
public final class TraceSettingsJson {
  private TraceSettingsJson() {}

  /**
   * The change that a body asks for.
   *
   * @throws InferenceException for the first setting that is refused; INTERNAL for malformed JSON
   *     and values of another type
   */
  public static Function<TraceOverrides, TraceOverrides> change(MemorySegment body) {
    JsonValue root = JsonDocument.parse(body).root();
    if (root.member("trace_file").isPresent()) {
      throw TraceOverrides.fixedFile();
    }
    return setting(
            root,
            "trace_level",
            value -> TraceOverrides.parseLevels(texts(value)),
            TraceOverrides::withLevels)
        .andThen(
            setting(
                root,
                "trace_rate",
                value -> TraceOverrides.parseUnsigned("trace_rate", text(value)),
                TraceOverrides::withRate))
        .andThen(
            setting(
                root,
                "trace_count",
                value -> TraceOverrides.parseCount(text(value), "got:"),
                TraceOverrides::withCount))
        .andThen(
            setting(
                root,
                "log_frequency",
                value -> TraceOverrides.parseUnsigned("log_frequency", text(value)),
                TraceOverrides::withLogFrequency));
  }

  private static String text(JsonValue value) {
    return value.asString("the value of a setting", RequestLimits.MAX_NAME);
  }

  private static List<String> texts(JsonValue levels) {
    return levels.elements().stream().map(TraceSettingsJson::text).toList();
  }

  /** The change of one setting; a value without a meaning changes nothing. */
  private static <T> Function<TraceOverrides, TraceOverrides> setting(
      JsonValue root,
      String name,
      Function<JsonValue, @Nullable T> parsing,
      BiFunction<TraceOverrides, @Nullable T, TraceOverrides> change) {
    JsonValue value = root.find(name);
    if (value == null) {
      return Function.identity();
    }
    if (value.isNull()) {
      return settings -> change.apply(settings, null);
    }
    T parsed = parsing.apply(value.withoutLabel());
    return parsed == null ? Function.identity() : settings -> change.apply(settings, parsed);
  }

  /** The body of a response: an object, members in Triton's order, numbers as strings. */
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

package io.nereid.server.options.declaration;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A value {@code <name>,<key>=<value>} of an option.
 *
 * @param name what is set; never empty, but where an option has settings of all
 */
public record NamedSetting(String name, String key, String value) {
  /** The setting that a text states; empty if it lacks the name, the key or a sign. */
  public static Optional<NamedSetting> parse(String text) {
    int comma = text.indexOf(',');
    int equals = text.indexOf('=', comma + 1);
    return comma <= 0 || equals <= comma + 1
        ? Optional.empty()
        : Optional.of(of(text, comma, equals));
  }

  /**
   * The setting that a text states.
   *
   * @param comma negative for none
   */
  public static NamedSetting of(String text, int comma, int equals) {
    return new NamedSetting(
        text.substring(0, Math.max(0, comma)),
        text.substring(comma + 1, equals),
        text.substring(equals + 1));
  }

  /** Values by name and key, in the order of the options; the last value of a key. */
  public static Map<String, Map<String, String>> byName(List<NamedSetting> settings) {
    Map<String, Map<String, String>> byName = new LinkedHashMap<>();
    for (NamedSetting each : settings) {
      byName.computeIfAbsent(each.name, _ -> new LinkedHashMap<>()).put(each.key, each.value);
    }
    return byName;
  }
}

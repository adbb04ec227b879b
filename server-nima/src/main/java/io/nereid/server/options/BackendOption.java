package io.nereid.server.options;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * One value of {@code --backend-config}.
 *
 * @param backend empty for all backends
 */
record BackendOption(String backend, String key, String value) {
  /** {@code <backend>,<key>=<value>} or {@code <key>=<value>}. */
  static final class Converter implements ITypeConverter<BackendOption> {
    @Override
    public BackendOption convert(String text) {
      int equals = text.indexOf('=');
      int comma = text.lastIndexOf(',', equals);
      if (equals <= comma + 1) {
        throw new TypeConversionException("expected <backend>,<key>=<value>, got '" + text + "'");
      }
      if (comma == 0) {
        throw new TypeConversionException(
            "No backend specified: expected <backend>,<key>=<value>, got '" + text + "'");
      }
      return new BackendOption(
          comma < 0 ? "" : text.substring(0, comma),
          text.substring(comma + 1, equals),
          text.substring(equals + 1));
    }
  }

  /** The settings by backend and key; the last value of a key takes precedence. */
  static Map<String, Map<String, String>> byBackend(List<BackendOption> options) {
    Map<String, Map<String, String>> byBackend = new HashMap<>();
    for (BackendOption option : options) {
      byBackend
          .computeIfAbsent(option.backend(), _ -> new HashMap<>())
          .put(option.key(), option.value());
    }
    return byBackend;
  }
}

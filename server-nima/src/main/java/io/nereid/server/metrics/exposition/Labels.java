package io.nereid.server.metrics.exposition;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The labels of a sample, sorted by name. Immutable.
 *
 * @param values by name
 */
public record Labels(Map<String, String> values) {
  public static final Labels NONE = new Labels(Map.of());

  public Labels {
    values = Collections.unmodifiableMap(new TreeMap<>(values));
  }

  /** One label. */
  public static Labels of(String name, String value) {
    return NONE.with(name, value);
  }

  /** These labels and one more, whose name is none of theirs. */
  public Labels with(String name, String value) {
    var more = new TreeMap<>(values);
    more.put(name, value);
    return new Labels(more);
  }

  /** <code>{name="value",…}</code> as in the text format, or nothing if there are none. */
  @Override
  public String toString() {
    return values.isEmpty()
        ? ""
        : values.entrySet().stream().map(Labels::text).collect(Collectors.joining(",", "{", "}"));
  }

  private static String text(Map.Entry<String, String> label) {
    String value =
        label.getValue().replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    return label.getKey() + "=\"" + value + '"';
  }
}

package io.nereid.server.metrics.exposition;

import java.util.ArrayList;
import java.util.List;

/** The labels of a sample, sorted by name; names are distinct. Immutable. */
public final class Labels {
  public static final Labels NONE = new Labels(List.of(), List.of());

  private final List<String> names;
  private final List<String> values;

  /** {@code name="value"} as in the text format. */
  private final List<String> texts;

  private Labels(List<String> names, List<String> values) {
    this.names = names;
    this.values = values;
    List<String> written = new ArrayList<>(names.size());
    for (int i = 0; i < names.size(); i++) {
      written.add(text(names.get(i), values.get(i)));
    }
    texts = List.copyOf(written);
  }

  /** One label. */
  public static Labels of(String name, String value) {
    return NONE.with(name, value);
  }

  /** These labels and one more, whose name is none of theirs. */
  public Labels with(String name, String value) {
    List<String> moreNames = new ArrayList<>(names);
    List<String> moreValues = new ArrayList<>(values);
    int index = 0;
    while (index < names.size() && names.get(index).compareTo(name) < 0) {
      index++;
    }
    moreNames.add(index, name);
    moreValues.add(index, value);
    return new Labels(List.copyOf(moreNames), List.copyOf(moreValues));
  }

  int size() {
    return names.size();
  }

  String name(int index) {
    return names.get(index);
  }

  String value(int index) {
    return values.get(index);
  }

  /** Appends <code>{name="value",…}</code>, or nothing if there are none. */
  void appendTo(StringBuilder text) {
    for (int i = 0; i < texts.size(); i++) {
      text.append(i == 0 ? '{' : ',').append(texts.get(i));
    }
    if (!texts.isEmpty()) {
      text.append('}');
    }
  }

  /** The same with one more label at its place. */
  void appendTo(StringBuilder text, String name, String value) {
    char separator = '{';
    boolean isAppended = false;
    for (int i = 0; i < texts.size(); i++) {
      if (!isAppended && names.get(i).compareTo(name) > 0) {
        text.append(separator).append(name).append("=\"").append(value).append('"');
        separator = ',';
        isAppended = true;
      }
      text.append(separator).append(texts.get(i));
      separator = ',';
    }
    if (!isAppended) {
      text.append(separator).append(name).append("=\"").append(value).append('"');
    }
    text.append('}');
  }

  private static String text(String name, String value) {
    String escaped = value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    return name + "=\"" + escaped + '"';
  }
}

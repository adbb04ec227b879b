package io.nereid.server.model.config.conversion;

import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.MapEntry;
import com.google.protobuf.Message;
import io.nereid.server.protobuf.ModelConfig;
import java.util.Comparator;
import java.util.List;

/**
 * Writes a configuration as the {@code /config} endpoint shows it: protobuf's JSON with the field
 * names of the schema, in the schema's order, with every scalar, list and map even if it is empty,
 * and without messages that are not set. Unlike protobuf's own writer it writes 64-bit integers as
 * numbers. Compact.
 */
public final class ModelConfigJsonWriter {
  private final StringBuilder json = new StringBuilder();

  private ModelConfigJsonWriter() {}

  /** The configuration as one line of JSON. */
  public static String write(ModelConfig config) {
    var writer = new ModelConfigJsonWriter();
    writer.message(config);
    return writer.json.toString();
  }

  private void message(Message message) {
    String separator = "{";
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      if (field.hasPresence() && !message.hasField(field)) {
        continue;
      }
      json.append(separator);
      separator = ",";
      string(field.getName());
      json.append(':');
      Object value = message.getField(field);
      if (field.isMapField()) {
        map(entries(value));
      } else if (value instanceof List<?> elements) {
        list(field, elements);
      } else {
        value(field, value);
      }
    }
    json.append(separator.equals("{") ? "{}" : "}");
  }

  private void list(FieldDescriptor field, List<?> elements) {
    json.append('[');
    for (int i = 0; i < elements.size(); i++) {
      json.append(i == 0 ? "" : ",");
      value(field, elements.get(i));
    }
    json.append(']');
  }

  /** Reflection shows a map as a list of entries. */
  private static List<? extends MapEntry<?, ?>> entries(Object value) {
    return ((List<?>) value)
        .stream()
            .map(entry -> (MapEntry<?, ?>) entry)
            .sorted(Comparator.comparing(entry -> String.valueOf(entry.getKey())))
            .toList();
  }

  private void map(List<? extends MapEntry<?, ?>> entries) {
    json.append('{');
    for (int i = 0; i < entries.size(); i++) {
      MapEntry<?, ?> entry = entries.get(i);
      json.append(i == 0 ? "" : ",");
      Object key = entry.getKey();
      // The only keys of the schema that are no strings are unsigned.
      string(key instanceof Long number ? Long.toUnsignedString(number) : key.toString());
      json.append(':');
      value(entry.getDescriptorForType().findFieldByName("value"), entry.getValue());
    }
    json.append('}');
  }

  private void value(FieldDescriptor field, Object value) {
    switch (field.getType()) {
      case INT32, INT64, BOOL -> json.append(value);
      case UINT32 -> json.append(Integer.toUnsignedString((Integer) value));
      case UINT64 -> json.append(Long.toUnsignedString((Long) value));
      case FLOAT, DOUBLE -> number((Number) value);
      case STRING -> string((String) value);
      case ENUM -> enumeration((EnumValueDescriptor) value);
      case MESSAGE -> message((Message) value);
      default -> throw new AssertionError("a field of type %s".formatted(field.getType()));
    }
  }

  private void enumeration(EnumValueDescriptor value) {
    if (value.getIndex() < 0) {
      json.append(value.getNumber()); // a number that the schema has no name for
    } else {
      string(value.getName());
    }
  }

  private void number(Number value) {
    if (!Double.isFinite(value.doubleValue())) {
      string(value.toString());
      return;
    }
    String text = value.toString();
    json.append(text.endsWith(".0") ? text.substring(0, text.length() - 2) : text);
  }

  private void string(String text) {
    json.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (c < ' ') {
        json.append("\\u%04x".formatted((int) c));
      } else {
        json.append(c);
      }
    }
    json.append('"');
  }
}

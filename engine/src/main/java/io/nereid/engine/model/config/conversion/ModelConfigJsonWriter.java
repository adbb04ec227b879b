package io.nereid.engine.model.config.conversion;

import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.MapEntry;
import com.google.protobuf.Message;
import io.nereid.protocol.config.ModelConfig;
import java.util.Comparator;
import java.util.List;

/**
 * Writes a configuration as the model configuration endpoint of HTTP returns it: protobuf's JSON on
 * one line, with the schema's field names and order, all scalars, lists and maps even if empty, and
 * no messages that are not set. Unlike protobuf's printer it writes 64-bit integers as numbers.
 */
public final class ModelConfigJsonWriter {
  private final StringBuilder json = new StringBuilder();

  private ModelConfigJsonWriter() {}

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

  /** The entries of a map field, which reflection returns as a list, sorted by key. */
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
      // Keys of the schema are strings or unsigned.
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
      default -> throw new AssertionError("unexpected field type " + field.getType());
    }
  }

  private void enumeration(EnumValueDescriptor value) {
    if (value.getIndex() < 0) {
      json.append(value.getNumber()); // not in the schema
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

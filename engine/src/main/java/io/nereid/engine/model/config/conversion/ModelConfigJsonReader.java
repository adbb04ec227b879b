package io.nereid.engine.model.config.conversion;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.Message;
import io.nereid.error.InferenceException;
import io.nereid.protocol.config.ModelConfig;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Reads a configuration from JSON as protobuf's C++ parser does, by which Triton reads it: with the
 * {@linkplain LegacyJsonCursor legacy syntax}, and
 *
 * <ul>
 *   <li>a field may come again, under either of its names: a scalar is replaced, a message merged,
 *       a list continued; not so a member of a oneof or an entry of a map
 *   <li>a list may be a single element, and has the elements of the lists in it
 *   <li>a number, a boolean and the number of an enum value may be strings
 *   <li>the name of an enum value may be in any letter case
 *   <li>null leaves a field as it is
 * </ul>
 *
 * <p>Where versions of that parser differ, such as on null in a list, the text is rejected.
 */
public record ModelConfigJsonReader(LegacyJsonCursor json) {
  private static final Set<String> TRUE = Set.of("true", "t", "yes", "y", "1");
  private static final Set<String> FALSE = Set.of("false", "f", "no", "n", "0");

  /** What {@link Double#parseDouble} accepts too, without hexadecimal digits and blanks. */
  private static final Pattern DECIMAL =
      Pattern.compile("[+-]?([0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)([eE][+-]?[0-9]+)?");

  private static final Set<String> SPECIAL = Set.of("NaN", "Infinity", "-Infinity");

  /** The integers up to here are distinct as a double. */
  private static final double MAX_EXACT = 0x1p53;

  /**
   * Reads a configuration without defaults.
   *
   * @throws InferenceException if the text is not JSON or not a configuration
   */
  public static ModelConfig read(String json) {
    var cursor = new LegacyJsonCursor(json);
    var config = ModelConfig.newBuilder();
    new ModelConfigJsonReader(cursor).message(config);
    cursor.end();
    return config.build();
  }

  private void message(Message.Builder message) {
    Set<OneofDescriptor> chosen = new HashSet<>();
    json.object(name -> {
      FieldDescriptor field = field(message.getDescriptorForType(), name);
      if (!json.take("null")) {
        OneofDescriptor oneof = field.getRealContainingOneof();
        if (oneof != null && !chosen.add(oneof)) {
          throw json.failure("'%s' where '%s' is set".formatted(name, oneof.getName()));
        }
        field(message, field);
      }
    });
  }

  private FieldDescriptor field(Descriptor type, String name) {
    return type.getFields().stream()
        .filter(field -> field.getName().equals(name) || field.getJsonName().equals(name))
        .findFirst()
        .orElseThrow(
            () -> json.failure("%s has no field '%s'".formatted(type.getFullName(), name)));
  }

  private void field(Message.Builder message, FieldDescriptor field) {
    if (field.isMapField()) {
      map(message, field);
    } else if (field.isRepeated()) {
      elements(message, field);
    } else if (field.getJavaType() == JavaType.MESSAGE) {
      message(message.getFieldBuilder(field));
    } else {
      message.setField(field, value(message, field));
    }
  }

  private void elements(Message.Builder message, FieldDescriptor field) {
    if (json.peek() == '[') {
      json.array(() -> elements(message, field));
    } else {
      message.addRepeatedField(field, value(message, field));
    }
  }

  private void map(Message.Builder message, FieldDescriptor field) {
    Set<String> keys = new HashSet<>();
    json.object(key -> {
      if (!keys.add(key)) {
        throw json.failure("'%s' has '%s' twice".formatted(field.getName(), key));
      }
      Message.Builder entry = message.newBuilderForField(field);
      FieldDescriptor keyField = entry.getDescriptorForType().findFieldByNumber(1);
      FieldDescriptor valueField = entry.getDescriptorForType().findFieldByNumber(2);
      entry.setField(
          keyField, keyField.getJavaType() == JavaType.STRING ? key : integer(keyField, key));
      if (!json.take("null")) {
        entry.setField(valueField, value(entry, valueField));
      }
      message.addRepeatedField(field, entry.build());
    });
  }

  /** One value of a field, or an element of it. */
  private Object value(Message.Builder message, FieldDescriptor field) {
    return switch (field.getJavaType()) {
      case MESSAGE -> {
        Message.Builder value = message.newBuilderForField(field);
        message(value);
        yield value.build();
      }
      case STRING -> string(field);
      case BOOLEAN -> bool(field);
      case ENUM -> enumValue(field);
      case INT, LONG -> integer(field, number(field));
      case FLOAT -> (float) decimal(field, number(field));
      case DOUBLE -> decimal(field, number(field));
      case BYTE_STRING -> throw new IllegalStateException("no configuration has " + field);
    };
  }

  private String string(FieldDescriptor field) {
    if (!json.isAtString()) {
      throw expected(field);
    }
    return json.string();
  }

  private boolean bool(FieldDescriptor field) {
    if (json.take("true")) {
      return true;
    }
    if (json.take("false")) {
      return false;
    }
    String text = string(field);
    String word = text.toLowerCase(Locale.ROOT);
    if (!TRUE.contains(word) && !FALSE.contains(word)) {
      throw wrong(field, text);
    }
    return TRUE.contains(word);
  }

  private EnumValueDescriptor enumValue(FieldDescriptor field) {
    EnumDescriptor type = field.getEnumType();
    String text = number(field);
    EnumValueDescriptor named = type.findValueByName(text.toUpperCase(Locale.ROOT));
    return named != null
        ? named
        : type.findValueByNumberCreatingIfUnknown((int) integer(field, text));
  }

  /** Reads a number, or a string that may contain one. */
  private String number(FieldDescriptor field) {
    if (json.isAtString()) {
      return json.string();
    }
    char next = json.peek();
    if (next != '-' && (next < '0' || next > '9')) {
      throw expected(field);
    }
    return json.number();
  }

  /** An integer of the field's size; {@code 8.0} and {@code 1e1} are some. */
  private Object integer(FieldDescriptor field, String text) {
    if (!DECIMAL.matcher(text).matches()) {
      throw wrong(field, text);
    }
    boolean unsigned =
        field.getType() == FieldDescriptor.Type.UINT32
            || field.getType() == FieldDescriptor.Type.UINT64;
    long value;
    try {
      value = unsigned ? Long.parseUnsignedLong(text) : Long.parseLong(text);
    } catch (NumberFormatException fraction) {
      double exact = Double.parseDouble(text);
      if (exact != Math.rint(exact) || Math.abs(exact) > MAX_EXACT || (unsigned && exact < 0)) {
        throw wrong(field, text);
      }
      value = (long) exact;
    }
    if (field.getJavaType() == JavaType.LONG) {
      return value;
    }
    int narrow = (int) value;
    if (value != (unsigned ? Integer.toUnsignedLong(narrow) : narrow)) {
      throw wrong(field, text);
    }
    return narrow;
  }

  private double decimal(FieldDescriptor field, String text) {
    boolean special = SPECIAL.contains(text);
    if (!special && !DECIMAL.matcher(text).matches()) {
      throw wrong(field, text);
    }
    double value = Double.parseDouble(text);
    double stored = field.getJavaType() == JavaType.FLOAT ? (float) value : value;
    if (Double.isInfinite(stored) && !special) {
      throw wrong(field, text);
    }
    return stored;
  }

  private InferenceException expected(FieldDescriptor field) {
    return json.expected("the %s '%s'".formatted(typeName(field), field.getName()));
  }

  private InferenceException wrong(FieldDescriptor field, String text) {
    return json.failure(
        "'%s' is not the %s '%s'".formatted(text, typeName(field), field.getName()));
  }

  private static String typeName(FieldDescriptor field) {
    return field.getType().name().toLowerCase(Locale.ROOT);
  }
}

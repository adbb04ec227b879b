package io.nereid.client.grpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Messages as the trees that JSON would give: by their fields' names, with scalars that are not
 * set, without messages that are not set, enums by their names.
 */
final class MessageTree {
  private MessageTree() {}

  static Map<String, Object> of(Message message) {
    Map<String, Object> members = new LinkedHashMap<>();
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      if (field.isMapField()) {
        members.put(field.getName(), map((List<?>) message.getField(field)));
      } else if (field.isRepeated()) {
        List<Object> elements = new ArrayList<>();
        for (Object each : (List<?>) message.getField(field)) {
          elements.add(value(field, each));
        }
        members.put(field.getName(), elements);
      } else if (!field.hasPresence() || message.hasField(field)) {
        members.put(field.getName(), value(field, message.getField(field)));
      }
    }
    return members;
  }

  private static Map<String, Object> map(List<?> entries) {
    Map<String, Object> members = new LinkedHashMap<>();
    for (Object each : entries) {
      Message entry = (Message) each;
      FieldDescriptor key = entry.getDescriptorForType().findFieldByNumber(1);
      FieldDescriptor value = entry.getDescriptorForType().findFieldByNumber(2);
      members.put(String.valueOf(entry.getField(key)), value(value, entry.getField(value)));
    }
    return members;
  }

  private static Object value(FieldDescriptor field, Object value) {
    if (value instanceof Message message) {
      return of(message);
    }
    if (value instanceof EnumValueDescriptor constant) {
      return constant.getName();
    }
    if (value instanceof Integer number) {
      boolean unsigned = field.getType() == FieldDescriptor.Type.UINT32;
      return unsigned ? Integer.toUnsignedLong(number) : number.longValue();
    }
    if (value instanceof Float number) {
      return number.doubleValue();
    }
    return value instanceof ByteString bytes ? bytes.toStringUtf8() : value;
  }
}

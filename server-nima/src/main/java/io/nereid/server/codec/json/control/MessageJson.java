package io.nereid.server.codec.json.control;

import com.google.gson.stream.JsonWriter;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.MapEntry;
import com.google.protobuf.Message;
import java.io.IOException;
import java.util.Collection;
import java.util.List;

/**
 * Writes messages of gRPC as HTTP shows them: objects with the schema's names in the order in which
 * it declares them, and 64-bit integers as numbers, unlike protobuf's own printer.
 */
public final class MessageJson {
  private MessageJson() {}

  /** The body that is a message, with all of its fields. */
  public static byte[] of(Message message) {
    return JsonBody.of(json -> put(json, message));
  }

  /** The body that is an array of such messages. */
  public static byte[] of(List<? extends Message> messages) {
    return JsonBody.of(json -> putValue(json, messages));
  }

  /** Writes an array of messages without the fields that are empty. */
  static void putBrief(JsonWriter json, List<? extends Message> messages) throws IOException {
    json.beginArray();
    for (Message message : messages) {
      put(json, message, message.getAllFields().keySet());
    }
    json.endArray();
  }

  private static void put(JsonWriter json, Message message) throws IOException {
    put(json, message, message.getDescriptorForType().getFields());
  }

  private static void put(JsonWriter json, Message message, Collection<FieldDescriptor> fields)
      throws IOException {
    json.beginObject();
    for (FieldDescriptor field : fields) {
      json.name(field.getName());
      Object value = message.getField(field);
      if (field.isMapField()) {
        putMap(json, (List<?>) value);
      } else {
        putValue(json, value);
      }
    }
    json.endObject();
  }

  /** Writes a map field, which reflection returns as a list, in the order of its entries. */
  private static void putMap(JsonWriter json, List<?> entries) throws IOException {
    json.beginObject();
    for (Object each : entries) {
      var entry = (MapEntry<?, ?>) each;
      json.name(entry.getKey().toString());
      putValue(json, entry.getValue());
    }
    json.endObject();
  }

  private static void putValue(JsonWriter json, Object value) throws IOException {
    switch (value) {
      case Message message -> put(json, message);
      case Number number -> json.value(number);
      case List<?> values -> {
        json.beginArray();
        for (Object each : values) {
          putValue(json, each);
        }
        json.endArray();
      }
      default -> json.value(value.toString());
    }
  }
}

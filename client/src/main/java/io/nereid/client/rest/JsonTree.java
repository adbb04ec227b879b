package io.nereid.client.rest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON as servers of the v2 protocol write and read it: with {@code NaN} and {@code Infinity}. */
final class JsonTree {
  static final JsonFactory FACTORY =
      new JsonFactoryBuilder()
          .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
          .disable(JsonWriteFeature.WRITE_NAN_AS_STRINGS)
          .streamReadConstraints(
              StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build())
          .build();

  private JsonTree() {}

  /** Something that writes one document. */
  interface Writing {
    void to(JsonGenerator json) throws IOException;
  }

  /** What a document is written to; its bytes are not copied. */
  private static final class Bytes extends ByteArrayOutputStream {
    Bytes() {
      super(0); // the generator writes a small document at once
    }

    ByteBuffer buffer() {
      return ByteBuffer.wrap(buf, 0, count);
    }
  }

  /** A document in UTF-8, from the buffer's position to its limit. */
  static ByteBuffer buffer(Writing document) {
    var bytes = new Bytes();
    try (JsonGenerator json = FACTORY.createGenerator(bytes)) {
      document.to(json);
    } catch (IOException e) {
      throw new IllegalStateException("memory cannot be written", e);
    }
    return bytes.buffer();
  }

  /** Writes a value of {@link #read}. */
  static void write(JsonGenerator json, @Nullable Object value) throws IOException {
    if (value instanceof Map<?, ?> members) {
      json.writeStartObject();
      for (Map.Entry<?, ?> member : members.entrySet()) {
        json.writeFieldName((String) member.getKey());
        write(json, member.getValue());
      }
      json.writeEndObject();
    } else if (value instanceof List<?> elements) {
      json.writeStartArray();
      for (Object element : elements) {
        write(json, element);
      }
      json.writeEndArray();
    } else if (value instanceof Long number) {
      json.writeNumber(number);
    } else if (value instanceof Double number) {
      json.writeNumber(number);
    } else if (value instanceof Boolean flag) {
      json.writeBoolean(flag);
    } else if (value == null) {
      json.writeNull();
    } else {
      json.writeString(value.toString());
    }
  }

  /** One whole document: a {@link Map}, {@link List}, {@link String}, number, boolean or null. */
  static @Nullable Object read(byte[] bytes, int from, int length) throws IOException {
    try (JsonParser json = FACTORY.createParser(bytes, from, length)) {
      json.nextToken();
      Object value = value(json);
      if (json.nextToken() != null) {
        throw new IOException("something follows the document");
      }
      return value;
    }
  }

  /** The value whose first token is the current one: integers are {@code Long}, if they fit. */
  static @Nullable Object value(JsonParser json) throws IOException {
    JsonToken token = json.currentToken();
    if (token == null) {
      throw new IOException("the document ends too early");
    }
    return switch (token) {
      case START_OBJECT -> object(json);
      case START_ARRAY -> array(json);
      case VALUE_STRING -> json.getText();
      case VALUE_NUMBER_INT ->
          switch (json.getNumberType()) {
            case INT, LONG -> (Object) json.getLongValue();
            default -> json.getNumberValue();
          };
      case VALUE_NUMBER_FLOAT -> json.getDoubleValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default -> throw new IOException("a value is missing at " + json.currentTokenLocation());
    };
  }

  private static Map<String, @Nullable Object> object(JsonParser json) throws IOException {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      json.nextToken();
      members.put(name, value(json));
    }
    return members;
  }

  private static List<@Nullable Object> array(JsonParser json) throws IOException {
    List<@Nullable Object> elements = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      elements.add(value(json));
    }
    return elements;
  }
}

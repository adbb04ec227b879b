package io.nereid.server.model.config.conversion;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.util.JsonFormat;
import io.nereid.error.InferenceException;
import io.nereid.server.protobuf.ModelConfig;
import java.io.IOException;
import java.io.StringReader;
import java.util.Locale;
import java.util.Optional;

/**
 * Reads a configuration from protobuf's JSON. Unknown fields are rejected, and 64-bit integers may
 * be numbers or strings. Enum names may be in any letter case: they are converted to upper case
 * before protobuf's parser, which is case-sensitive, reads them.
 */
public final class ModelConfigJsonReader {
  private static final TypeAdapter<JsonElement> TREE = new Gson().getAdapter(JsonElement.class);

  private ModelConfigJsonReader() {}

  /**
   * Reads a configuration without defaults.
   *
   * @throws InferenceException if the text is not JSON or not a configuration
   */
  public static ModelConfig read(String json) {
    try {
      JsonElement tree = parse(json);
      upperCaseEnums(tree, ModelConfig.getDescriptor());
      var config = ModelConfig.newBuilder();
      JsonFormat.parser().merge(tree.toString(), config);
      return config.build();
    } catch (IOException | JsonParseException malformed) {
      throw InferenceException.invalid("model configuration is not valid JSON: " + why(malformed));
    }
  }

  /** The first line of the message, without Gson's hint about leniency. */
  private static String why(Exception malformed) {
    String message = String.valueOf(malformed.getMessage());
    return message
        .lines()
        .findFirst()
        .orElse("")
        .replaceFirst("^Use JsonReader\\.\\S+ to accept ", "");
  }

  private static JsonElement parse(String json) throws IOException {
    try (var reader = new JsonReader(new StringReader(json))) {
      reader.setStrictness(Strictness.STRICT);
      JsonElement tree = TREE.read(reader);
      if (reader.peek() != JsonToken.END_DOCUMENT) { // a strict reader throws on trailing data
        throw new IllegalStateException("strict reader accepts trailing data");
      }
      return tree;
    }
  }

  /** Leaves alone what does not fit the schema, since the parser reports it better. */
  private static void upperCaseEnums(JsonElement element, Descriptor type) {
    if (!element.isJsonObject()) {
      return;
    }
    for (var member : element.getAsJsonObject().entrySet()) {
      field(type, member.getKey())
          .ifPresent(field -> member.setValue(upperCaseEnums(member.getValue(), field)));
    }
  }

  private static JsonElement upperCaseEnums(JsonElement value, FieldDescriptor field) {
    if (field.isMapField()) {
      FieldDescriptor inMap = field.getMessageType().findFieldByName("value");
      if (value.isJsonObject()) {
        for (var entry : value.getAsJsonObject().entrySet()) {
          entry.setValue(upperCaseEnums(entry.getValue(), inMap));
        }
      }
      return value;
    }
    if (value.isJsonArray()) {
      var array = value.getAsJsonArray();
      for (int i = 0; i < array.size(); i++) {
        array.set(i, upperCaseEnums(array.get(i), field));
      }
      return value;
    }
    if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
      upperCaseEnums(value, field.getMessageType());
      return value;
    }
    boolean name =
        field.getJavaType() == FieldDescriptor.JavaType.ENUM
            && value instanceof JsonPrimitive primitive
            && primitive.isString();
    return name ? canonical(value, field.getEnumType()) : value;
  }

  /** The upper-case name, if the schema has it. */
  private static JsonElement canonical(JsonElement value, EnumDescriptor type) {
    String name = value.getAsString().toUpperCase(Locale.ROOT);
    return type.findValueByName(name) == null ? value : new JsonPrimitive(name);
  }

  private static Optional<FieldDescriptor> field(Descriptor type, String name) {
    return type.getFields().stream()
        .filter(field -> field.getName().equals(name) || field.getJsonName().equals(name))
        .findFirst();
  }
}

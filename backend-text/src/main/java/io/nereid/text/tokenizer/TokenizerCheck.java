package io.nereid.text.tokenizer;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import io.nereid.error.InferenceException;
import io.nereid.text.folder.JsonFile;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.Base64;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Refuses the tokenizers that make the native library panic, which ends the process: a character
 * map of SentencePiece that is none, a template with a special token that it does not define, and
 * merges with a prefix of subwords. All else the library refuses itself. The decoder, which nothing
 * here uses and whose reader panics at what it does not expect, is left out.
 */
final class TokenizerCheck {
  private TokenizerCheck() {}

  /**
   * Checks a tokenizer.
   *
   * @return for the library: the same without the decoder, as JSON that every parser reads
   * @throws InferenceException INVALID_ARGUMENT with what is wrong
   */
  static String checked(String json) {
    try {
      check(json);
      var checked = new StringWriter();
      try (var reader = new JsonReader(new StringReader(json));
          var writer = new JsonWriter(checked)) {
        reader.setStrictness(Strictness.STRICT);
        copyObject(reader, writer, name -> !name.equals("decoder"));
      }
      return checked.toString();
    } catch (JsonParseException | IOException | IllegalStateException malformed) {
      throw InferenceException.invalid("it is no JSON: " + JsonFile.reason(malformed));
    }
  }

  private static void copyObject(JsonReader from, JsonWriter to, Predicate<String> isWanted)
      throws IOException {
    from.beginObject();
    to.beginObject();
    while (from.hasNext()) {
      String name = text(from.nextName());
      if (isWanted.test(name)) {
        copy(from, to.name(name));
      } else {
        from.skipValue();
      }
    }
    from.endObject();
    to.endObject();
  }

  private static void copy(JsonReader from, JsonWriter to) throws IOException {
    switch (from.peek()) {
      case BEGIN_OBJECT -> copyObject(from, to, _ -> true);
      case BEGIN_ARRAY -> {
        from.beginArray();
        to.beginArray();
        while (from.hasNext()) {
          copy(from, to);
        }
        from.endArray();
        to.endArray();
      }
      case NUMBER -> to.jsonValue(from.nextString()); // as precise as it is
      case BOOLEAN -> to.value(from.nextBoolean());
      case NULL -> {
        from.nextNull();
        to.nullValue();
      }
      default -> to.value(text(from.nextString()));
    }
  }

  private static String text(String text) {
    if (!UTF_8.newEncoder().canEncode(text)) {
      throw InferenceException.invalid("it has half of a surrogate pair in a string");
    }
    return text;
  }

  private static void check(String json) throws IOException {
    try (var reader = new JsonReader(new StringReader(json))) {
      reader.setStrictness(Strictness.STRICT);
      if (reader.peek() != JsonToken.BEGIN_OBJECT) {
        throw InferenceException.invalid("it is no JSON object");
      }
      reader.beginObject();
      while (reader.hasNext()) {
        switch (reader.nextName()) {
          case "normalizer", "post_processor" -> check(JsonParser.parseReader(reader));
          case "model" -> checkModel(reader);
          default -> reader.skipValue();
        }
      }
      reader.endObject();
    }
  }

  private static void checkModel(JsonReader reader) throws IOException {
    if (reader.peek() != JsonToken.BEGIN_OBJECT) {
      reader.skipValue();
      return;
    }
    boolean hasMerges = false;
    boolean hasPrefix = false;
    reader.beginObject();
    while (reader.hasNext()) {
      String name = reader.nextName();
      if (name.equals("continuing_subword_prefix") && reader.peek() == JsonToken.STRING) {
        hasPrefix |= !reader.nextString().isEmpty();
      } else {
        hasMerges |= name.equals("merges");
        reader.skipValue();
      }
    }
    reader.endObject();
    if (hasMerges && hasPrefix) {
      throw InferenceException.invalid(
          "'model' has 'merges' and a 'continuing_subword_prefix', which is not supported");
    }
  }

  private static void check(JsonElement part) {
    if (part.isJsonArray()) {
      part.getAsJsonArray().forEach(TokenizerCheck::check);
    }
    if (!part.isJsonObject()) {
      return;
    }
    JsonObject object = part.getAsJsonObject();
    JsonElement type = object.get("type");
    if (type != null && type.isJsonPrimitive() && type.getAsString().equals("Precompiled")) {
      checkMap(object.get("precompiled_charsmap"));
    }
    if (object.has("special_tokens")) {
      Set<String> defined = new HashSet<>();
      if (object.get("special_tokens").isJsonObject()) {
        defined.addAll(object.getAsJsonObject("special_tokens").keySet());
      }
      checkTemplate(object.get("single"), defined);
      checkTemplate(object.get("pair"), defined);
    }
    object.asMap().values().forEach(TokenizerCheck::check);
  }

  private static void checkTemplate(@Nullable JsonElement template, Set<String> defined) {
    if (template == null || !template.isJsonArray()) {
      return;
    }
    for (JsonElement piece : template.getAsJsonArray()) {
      if (piece.isJsonObject()
          && piece.getAsJsonObject().get("SpecialToken") instanceof JsonObject special
          && special.get("id") != null
          && special.get("id").isJsonPrimitive()
          && !defined.contains(special.get("id").getAsString())) {
        throw InferenceException.invalid(
            "'post_processor' has the special token '%s', which its 'special_tokens' do not define"
                .formatted(special.get("id").getAsString()));
      }
    }
  }

  /** It begins with the size of a trie, in bytes, behind which its texts are. */
  private static void checkMap(@Nullable JsonElement encoded) {
    byte[] map;
    try {
      map = Base64.getDecoder().decode(encoded == null ? "" : encoded.getAsString());
    } catch (IllegalArgumentException
        | IllegalStateException
        | UnsupportedOperationException wrong) {
      throw InferenceException.invalid("'precompiled_charsmap' is not in Base64");
    }
    long size =
        map.length < 4
            ? -1
            : (map[0] & 0xFF)
                | (map[1] & 0xFF) << 8
                | (map[2] & 0xFF) << 16
                | (map[3] & 0xFFL) << 24;
    if (size < 4 || size % 4 != 0 || size > map.length - 4) {
      throw InferenceException.invalid(
          "'precompiled_charsmap' has %d bytes, and says that %d are its trie"
              .formatted(map.length, size));
    }
  }
}

package io.nereid.text.folder;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An object of JSON in a file. What it lacks, and null, is empty; another type than is asked for is
 * an {@link InferenceException} INVALID_ARGUMENT that names file and field.
 *
 * @param file for messages
 */
public record JsonFile(String file, JsonObject object) {
  private static final long MAX_BYTES = 16 << 20;

  /**
   * Reads a file; empty if there is none.
   *
   * @throws InferenceException if it cannot be read, is too large, or is no object of JSON
   */
  public static Optional<JsonFile> read(Path path) {
    if (!Files.isRegularFile(path)) {
      return Optional.empty();
    }
    if (parse(path) instanceof JsonObject object) {
      return Optional.of(new JsonFile(path.toString(), object));
    }
    throw InferenceException.invalid("'%s' is no JSON object".formatted(path));
  }

  /** The value in a file. */
  static JsonElement parse(Path path) {
    try {
      long byteSize = Files.size(path);
      if (byteSize > MAX_BYTES) {
        throw InferenceException.invalid(
            "'%s' has %d bytes, at most %d are read".formatted(path, byteSize, MAX_BYTES));
      }
      return parse(Files.readString(path), path.toString());
    } catch (MalformedInputException noText) {
      throw InferenceException.invalid("'%s' is not in UTF-8".formatted(path));
    } catch (IOException unreadable) {
      throw InferenceException.unavailable(
          "cannot read '%s': %s".formatted(path, IoReason.of(unreadable)));
    }
  }

  /**
   * The value in a text.
   *
   * @param name what it is, for messages
   */
  public static JsonElement parse(String json, String name) {
    try (var reader = new JsonReader(new StringReader(json))) {
      reader.setStrictness(Strictness.STRICT);
      JsonElement value = JsonParser.parseReader(reader);
      if (reader.peek() != com.google.gson.stream.JsonToken.END_DOCUMENT) {
        throw InferenceException.invalid("'%s' has more behind its JSON".formatted(name));
      }
      return value;
    } catch (JsonParseException | IOException malformed) {
      throw InferenceException.invalid("'%s' is no JSON: %s".formatted(name, reason(malformed)));
    }
  }

  /** What is wrong with a text that is no JSON, and where. */
  public static String reason(Exception malformed) {
    Throwable cause = malformed.getCause() == null ? malformed : malformed.getCause();
    return String.valueOf(cause.getMessage())
        .lines()
        .findFirst()
        .orElse("it is empty")
        .replaceFirst("Use JsonReader.* JSON", "error");
  }

  private @Nullable JsonElement get(String key) {
    JsonElement value = object.get(key);
    return value == null || value.isJsonNull() ? null : value;
  }

  public Optional<String> text(String key) {
    JsonElement value = get(key);
    return value == null ? Optional.empty() : Optional.of(text(key, value));
  }

  private String text(String key, JsonElement value) {
    if (value.isJsonPrimitive() && value.getAsJsonPrimitive().isString()) {
      return value.getAsString();
    }
    throw invalid(key, "a string", value);
  }

  public Optional<Boolean> flag(String key) {
    JsonElement value = get(key);
    if (value == null) {
      return Optional.empty();
    }
    if (value.isJsonPrimitive() && value.getAsJsonPrimitive().isBoolean()) {
      return Optional.of(value.getAsBoolean());
    }
    throw invalid(key, "true or false", value);
  }

  /** A number from 1 on; empty if it is above what an int holds, which stands for no limit. */
  public Optional<Integer> count(String key) {
    JsonElement value = get(key);
    if (value == null) {
      return Optional.empty();
    }
    double number =
        value.isJsonPrimitive() && value.getAsJsonPrimitive().isNumber()
            ? Double.parseDouble(value.getAsString())
            : Double.NaN;
    if (!(number >= 1) || number != Math.rint(number)) {
      throw invalid(key, "a whole number from 1 on", value);
    }
    return number > Integer.MAX_VALUE ? Optional.empty() : Optional.of((int) number);
  }

  /** A token's id, from 0 on. */
  Optional<Integer> id(String key) {
    JsonElement value = get(key);
    if (value == null) {
      return Optional.empty();
    }
    String text = value.isJsonPrimitive() ? value.getAsString() : "";
    if (!text.matches("[0-9]{1,9}")) {
      throw invalid(key, "the id of a token", value);
    }
    return Optional.of(Integer.parseInt(text));
  }

  /** An array of strings; empty without one. */
  List<String> texts(String key) {
    JsonElement value = get(key);
    if (value == null) {
      return List.of();
    }
    if (value instanceof JsonArray array) {
      return array.asList().stream().map(each -> text(key, each)).toList();
    }
    throw invalid(key, "an array of strings", value);
  }

  Optional<JsonFile> object(String key) {
    JsonElement value = get(key);
    if (value == null) {
      return Optional.empty();
    }
    if (value instanceof JsonObject inner) {
      return Optional.of(new JsonFile(file, inner));
    }
    throw invalid(key, "an object", value);
  }

  /** All members, in order, which must be strings. */
  Map<String, String> strings() {
    Map<String, String> strings = new LinkedHashMap<>();
    object
        .entrySet()
        .forEach(entry -> strings.put(entry.getKey(), text(entry.getKey(), entry.getValue())));
    return strings;
  }

  public InferenceException invalid(String key, String expected, Object value) {
    String text = String.valueOf(value);
    return InferenceException.invalid(
        "'%s': '%s' must be %s, got %s"
            .formatted(
                file, key, expected, text.length() > 60 ? text.substring(0, 60) + "…" : text));
  }
}

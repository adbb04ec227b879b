package io.nereid.tools.data;

import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;

/** JSON as RFC 8259 has it, and {@code NaN} and {@code Infinity} as Python's module writes them. */
public final class StrictJson {
  private StrictJson() {}

  /**
   * Reads a file.
   *
   * @throws DataException if it is no JSON
   * @throws IOException if it cannot be read
   */
  public static JsonElement read(Path file) throws IOException {
    return parse("'%s'".formatted(file), Files.readString(file));
  }

  /**
   * Parses a text.
   *
   * @param source for the message
   * @throws DataException if it is no JSON
   */
  public static JsonElement parse(String source, String text) {
    JsonReader reader = new JsonReader(new StringReader(withQuotedNumbers(text)));
    reader.setStrictness(Strictness.STRICT);
    try {
      JsonElement json = JsonParser.parseReader(reader);
      if (reader.peek() == JsonToken.END_DOCUMENT) {
        return json;
      }
      throw new DataException("%s is no JSON: more follows behind it".formatted(source));
    } catch (JsonParseException | IOException wrong) {
      Throwable reason = wrong.getCause() instanceof IOException cause ? cause : wrong;
      String line = String.valueOf(reason.getMessage()).lines().findFirst().orElse("");
      throw new DataException(
          "%s is no JSON: %s"
              .formatted(source, line.replaceFirst("Use JsonReader.* JSON", "error")));
    }
  }

  /** A text whose numbers that JSON does not have are strings, as which columns have all values. */
  private static String withQuotedNumbers(String text) {
    if (!text.contains("NaN") && !text.contains("Infinity")) {
      return text;
    }
    StringBuilder quoted = new StringBuilder(text.length() + 64);
    boolean isString = false;
    for (int i = 0; i < text.length(); i++) {
      char next = text.charAt(i);
      String number = isString ? "" : numberAt(text, i);
      if (!number.isEmpty()) {
        quoted.append('"').append(number).append('"');
        i += number.length() - 1;
        continue;
      }
      quoted.append(next);
      if (isString && next == '\\' && i + 1 < text.length()) {
        quoted.append(text.charAt(++i));
      } else if (next == '"') {
        isString = !isString;
      }
    }
    return quoted.toString();
  }

  private static String numberAt(String text, int at) {
    for (String number : new String[] {"NaN", "-Infinity", "Infinity"}) {
      if (text.startsWith(number, at)) {
        return number;
      }
    }
    return "";
  }
}

package io.nereid.server.codec.json.document;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nereid.tensor.Elements;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Functions on strings in quotation marks: {@link #check} comes first, then they are measured and
 * unescaped. Invalid UTF-8 is not changed.
 */
public final class JsonStrings {
  private JsonStrings() {}

  /**
   * Checks a string.
   *
   * @param at the position of its opening quotation mark
   * @return the position after its closing quotation mark
   */
  static int check(JsonBytes text, int at) {
    int next = at + 1;
    while (true) {
      next = text.skipPlainText(next);
      int found = text.at(next);
      switch (found) {
        case '"' -> {
          return next + 1;
        }
        case '\\' -> next = checkEscape(text, next);
        case -1, 0 ->
            throw JsonBytes.syntaxError("Missing a closing quotation mark in string.", next);
        default -> throw JsonBytes.syntaxError("Invalid encoding in string.", next);
      }
    }
  }

  private static int checkEscape(JsonBytes text, int at) {
    return switch (text.at(at + 1)) {
      case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> at + 2;
      case 'u' -> checkUnicodeEscape(text, at);
      default -> throw JsonBytes.syntaxError("Invalid escape character in string.", at);
    };
  }

  private static int checkUnicodeEscape(JsonBytes text, int at) {
    int unit = requireHex(text, at + 2, at);
    if (!Character.isSurrogate((char) unit)) {
      return at + 6;
    }
    boolean high = unit <= Character.MAX_HIGH_SURROGATE;
    if (high && text.at(at + 6) == '\\' && text.at(at + 7) == 'u') {
      int low = requireHex(text, at + 8, at);
      if (Character.isLowSurrogate((char) low)) {
        return at + 12;
      }
    }
    throw JsonBytes.syntaxError("The surrogate pair in string is invalid.", at);
  }

  private static int requireHex(JsonBytes text, int at, int escape) {
    int unit = hex(text, at);
    if (unit < 0) {
      throw JsonBytes.syntaxError("Incorrect hex digit after \\u escape in string.", escape);
    }
    return unit;
  }

  /** The value of the four hexadecimal digits at {@code at}, or -1. */
  static int hex(JsonBytes text, int at) {
    int value = 0;
    for (int i = 0; i < 4; i++) {
      int found = text.at(at + i);
      int digit = found < 0 || found > 'f' ? -1 : Character.digit((char) found, 16);
      if (digit < 0) {
        return -1;
      }
      value = (value << 4) | digit;
    }
    return value;
  }

  /** The position after the closing quotation mark of a checked string. */
  public static int skip(JsonBytes text, int at) {
    int next = at + 1;
    while (true) {
      next = text.skipPlainText(next);
      if (text.at(next) == '"') {
        return next + 1;
      }
      next += 2; // the byte after a backslash does not end the string
    }
  }

  /** The byte size of a checked string's unescaped content. */
  public static int unescapedSize(JsonBytes text, int at) {
    int size = 0;
    int next = at + 1;
    while (true) {
      int stop = text.skipPlainText(next);
      size += stop - next;
      if (text.at(stop) == '"') {
        return size;
      }
      if (text.at(stop + 1) == 'u') {
        int unit = hex(text, stop + 2);
        boolean pair = Character.isSurrogate((char) unit);
        size += pair ? 4 : unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
        next = stop + (pair ? 12 : 6);
      } else {
        size++;
        next = stop + 2;
      }
    }
  }

  /**
   * Writes a checked string's content unescaped.
   *
   * @return the offset in {@code target} after it
   */
  public static long unescape(JsonBytes text, int at, MemorySegment target, long offset) {
    long out = offset;
    int next = at + 1;
    while (true) {
      int stop = text.skipPlainText(next);
      MemorySegment.copy(text.segment(), next, target, out, stop - next);
      out += stop - next;
      if (text.at(stop) == '"') {
        return out;
      }
      int kind = text.at(stop + 1);
      if (kind != 'u') {
        target.set(Elements.BYTE, out++, control(kind));
        next = stop + 2;
        continue;
      }
      int code = hex(text, stop + 2);
      next = stop + 6;
      if (Character.isSurrogate((char) code)) {
        code = Character.toCodePoint((char) code, (char) hex(text, stop + 8));
        next = stop + 12;
      }
      out = putUtf8(code, target, out);
    }
  }

  static byte control(int letter) {
    return (byte)
        switch (letter) {
          case 'b' -> '\b';
          case 'f' -> '\f';
          case 'n' -> '\n';
          case 'r' -> '\r';
          case 't' -> '\t';
          default -> letter;
        };
  }

  private static long putUtf8(int code, MemorySegment target, long offset) {
    long out = offset;
    if (code < 0x80) {
      target.set(Elements.BYTE, out++, (byte) code);
      return out;
    }
    int continued = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    int lead = (0xff00 >> (continued + 1)) & 0xff;
    target.set(Elements.BYTE, out++, (byte) (lead | (code >> (6 * continued))));
    for (int i = continued - 1; i >= 0; i--) {
      target.set(Elements.BYTE, out++, (byte) (0x80 | ((code >> (6 * i)) & 0x3f)));
    }
    return out;
  }

  /**
   * A checked string's content.
   *
   * @return null if it has more than {@code most} bytes
   */
  static @Nullable String decode(JsonBytes text, int at, int most) {
    int end = text.skipPlainText(at + 1);
    if (text.at(end) == '"') {
      return end - at - 1 > most ? null : new String(text.copy(at + 1, end), UTF_8);
    }
    int byteSize = unescapedSize(text, at);
    if (byteSize > most) {
      return null;
    }
    // An off-heap segment: code that is used with both kinds of segments is slower for each.
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment content = arena.allocate(byteSize);
      unescape(text, at, content, 0);
      return new String(content.toArray(Elements.BYTE), UTF_8);
    }
  }

  /** At most the first {@code most} bytes of a checked string as they are in the text. */
  static String raw(JsonBytes text, int at, int most) {
    int length = Math.min(most, skip(text, at) - at - 2);
    return new String(text.copy(at + 1, at + 1 + length), UTF_8);
  }
}

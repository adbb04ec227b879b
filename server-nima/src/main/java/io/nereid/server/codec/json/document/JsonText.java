package io.nereid.server.codec.json.document;

import io.nereid.server.codec.ByteSink;
import io.nereid.tensor.Elements;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/** A writer of JSON strings. Escapes quotation marks, backslashes and control characters only. */
public final class JsonText {
  private static final byte[] HEX = "0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);
  private static final int LONGEST_ESCAPE = 6;

  private JsonText() {}

  /** Writes a string with its quotation marks. */
  public static void putString(ByteSink sink, String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    sink.put('"');
    byte[] target = reserve(sink, utf8.length);
    System.arraycopy(utf8, 0, target, rawOffset(sink, utf8.length), utf8.length);
    escape(sink, utf8.length);
    sink.put('"');
  }

  /** Writes bytes as a string with its quotation marks. Does not check that they are UTF-8. */
  public static void putString(ByteSink sink, MemorySegment source, long offset, long byteSize) {
    sink.put('"');
    putEscaped(sink, source, offset, byteSize);
    sink.put('"');
  }

  /** Writes bytes as a part of a string. */
  public static void putEscaped(ByteSink sink, MemorySegment source, long offset, long byteSize) {
    byte[] target = reserve(sink, byteSize);
    int length = (int) byteSize;
    MemorySegment.copy(source, Elements.BYTE, offset, target, rawOffset(sink, length), length);
    escape(sink, length);
  }

  private static byte[] reserve(ByteSink sink, long byteSize) {
    return sink.reserve(LONGEST_ESCAPE * byteSize + 1); // and a quotation mark
  }

  /** The place of the unescaped bytes: far enough behind that escaping never overtakes them. */
  private static int rawOffset(ByteSink sink, int length) {
    return sink.size() + (LONGEST_ESCAPE - 1) * length;
  }

  private static void escape(ByteSink sink, int length) {
    byte[] target = sink.array();
    int from = rawOffset(sink, length);
    int next = sink.size();
    for (int i = 0; i < length; i++) {
      byte value = target[from + i];
      if (value == '"' || value == '\\' || (value >= 0 && value < ' ')) {
        next = putEscape(target, next, value);
      } else {
        target[next++] = value;
      }
    }
    sink.fillTo(next);
  }

  private static int putEscape(byte[] target, int at, byte value) {
    int next = at;
    target[next++] = '\\';
    int letter =
        switch (value) {
          case '\b' -> 'b';
          case '\f' -> 'f';
          case '\n' -> 'n';
          case '\r' -> 'r';
          case '\t' -> 't';
          case '"', '\\' -> value;
          default -> 'u';
        };
    target[next++] = (byte) letter;
    if (letter == 'u') {
      target[next++] = '0';
      target[next++] = '0';
      target[next++] = HEX[value >>> 4];
      target[next++] = HEX[value & 0xf];
    }
    return next;
  }
}

package io.nereid.engine.model.config.text;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.IntStream;

/** The bytes of a text and its lines. Offsets are in bytes; columns are in characters of UTF-8. */
final class SourceText {
  private static final int MAX_EXCERPT = 160;

  /** As Latin-1: a character per byte. */
  private final String bytes;

  private final int[] lineStarts;

  private SourceText(String bytes, int[] lineStarts) {
    this.bytes = bytes;
    this.lineStarts = lineStarts;
  }

  static SourceText of(byte[] content) {
    int[] starts =
        IntStream.rangeClosed(0, content.length)
            .filter(i -> i == 0 || content[i - 1] == '\n')
            .toArray();
    return new SourceText(new String(content, StandardCharsets.ISO_8859_1), starts);
  }

  /** The text with a character per byte. */
  String bytes() {
    return bytes;
  }

  TextPosition position(int offset) {
    int found = Arrays.binarySearch(lineStarts, offset);
    int line = found >= 0 ? found : -found - 2;
    int column = 1;
    for (int i = lineStarts[line]; i < offset; i++) {
      column += isContinuation(bytes.charAt(i)) ? 0 : 1;
    }
    return new TextPosition(line + 1, column);
  }

  /** The text between two offsets, as UTF-8. */
  String text(int begin, int end) {
    return new String(
        bytes.substring(begin, end).getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }

  /** A line without its end, control characters and what exceeds 160 characters. */
  String line(int number) {
    int begin = lineStarts[number - 1];
    int end = number < lineStarts.length ? lineStarts[number] - 1 : bytes.length();
    String line = text(begin, Math.min(end, begin + MAX_EXCERPT)).stripTrailing();
    return line.replaceAll("\\p{Cc}", " ");
  }

  static boolean isContinuation(char each) {
    return (each & 0xC0) == 0x80;
  }
}

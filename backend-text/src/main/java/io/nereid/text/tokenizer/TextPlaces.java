package io.nereid.text.tokenizer;

/** A text by code points, as the library counts, in UTF-16 and in UTF-8. */
final class TextPlaces {
  private final String text;

  /** The index in UTF-16 of each code point, and of the end. */
  private final int[] units;

  /** The same in UTF-8. */
  private final int[] bytes;

  TextPlaces(String text) {
    this.text = text;
    int[] points = text.codePoints().toArray();
    units = new int[points.length + 1];
    bytes = new int[points.length + 1];
    for (int i = 0; i < points.length; i++) {
      units[i + 1] = units[i] + Character.charCount(points[i]);
      bytes[i + 1] = bytes[i] + byteCount(points[i]);
    }
  }

  private static int byteCount(int point) {
    return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }

  /** The token between two code points. */
  TextToken token(long id, int start, int end) {
    return new TextToken(
        id, text.substring(units[start], units[end]), false, bytes[start], bytes[end]);
  }
}

package io.nereid.engine.model.config.text;

import io.nereid.engine.model.config.text.Token.Kind;
import java.util.Arrays;

/** The tokens of a text, by index; behind the last one, END tokens. */
final class Tokens {
  private static final Kind[] KINDS = Kind.values();

  private final SourceText source;
  private int[] begins = new int[64];
  private int[] ends = new int[64];
  private byte[] kinds = new byte[64];
  private int count;

  Tokens(SourceText source) {
    this.source = source;
  }

  @SuppressWarnings("EnumOrdinal") // a byte for each token; the ordinals are not stored
  void add(Kind kind, int begin, int end) {
    if (count == begins.length) {
      begins = Arrays.copyOf(begins, 2 * count);
      ends = Arrays.copyOf(ends, 2 * count);
      kinds = Arrays.copyOf(kinds, 2 * count);
    }
    begins[count] = begin;
    ends[count] = end;
    kinds[count++] = (byte) kind.ordinal();
  }

  Token get(int index) {
    if (index >= count) {
      int end = count == 0 ? 0 : ends[count - 1];
      return new Token(Kind.END, end, end, "");
    }
    int begin = begins[index];
    int end = ends[index];
    return new Token(KINDS[kinds[index]], begin, end, source.text(begin, end));
  }

  int count() {
    return count;
  }

  /** Whether no token stands before this one in its line. */
  boolean beginsLine(int index) {
    return index == 0
        || index >= count
        || source.bytes().substring(ends[index - 1], begins[index]).contains("\n");
  }
}

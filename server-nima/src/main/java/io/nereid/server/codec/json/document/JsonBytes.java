package io.nereid.server.codec.json.document;

import io.nereid.error.InferenceException;
import io.nereid.tensor.Elements;
import java.lang.foreign.MemorySegment;

/**
 * The UTF-8 bytes of a document, with methods that scan them. Digits and strings are scanned eight
 * bytes at a time without a branch per byte: a mask marks the bytes of a word that end the run, and
 * the number of its trailing zeros is the length of the run.
 */
public final class JsonBytes {
  private static final long ONES = 0x0101010101010101L;
  private static final long TOPS = 0x8080808080808080L;
  private static final long HIGH_HALVES = 0xf0f0f0f0f0f0f0f0L;
  private static final long ZEROS = ONES * '0';

  private final MemorySegment bytes;
  private final int end;

  public JsonBytes(MemorySegment bytes) {
    this.bytes = bytes;
    this.end = Math.toIntExact(bytes.byteSize());
  }

  MemorySegment segment() {
    return bytes;
  }

  public int end() {
    return end;
  }

  /** The unsigned byte at {@code at}, or -1 at the end. */
  public int at(int at) {
    return at < end ? bytes.get(Elements.BYTE, at) & 0xff : -1;
  }

  /** Eight bytes from {@code at}, the first one lowest; bytes after the end are 0. */
  public long eight(int at) {
    return at <= end - Long.BYTES ? bytes.get(Elements.LONG, at) : tail(at);
  }

  private long tail(int at) {
    long word = 0;
    for (int i = end - 1; i >= at; i--) {
      word = (word << Byte.SIZE) | (bytes.get(Elements.BYTE, i) & 0xff);
    }
    return word;
  }

  /** The number of leading digits of a word: 0 to 8. */
  public static int digits(long word) {
    long value = word ^ ZEROS;
    long others = (value | (value + ONES * 6)) & HIGH_HALVES;
    return Long.numberOfTrailingZeros(others) >>> 3;
  }

  /**
   * The value of the first {@code count} bytes of a word, which are digits.
   *
   * @param count 1 to 8
   */
  public static long number(long word, int count) {
    // The shift adds leading zeros. Then neighbours are combined: eight numbers of one digit, four
    // of two digits, and by one multiplication for each half one of eight digits.
    long digits = (word ^ ZEROS) << (Long.SIZE - Byte.SIZE * count);
    long pairs = digits * 10 + (digits >>> Byte.SIZE);
    long even = (pairs & 0xff000000ffL) * (100 + (1_000_000L << 32));
    long odd = (pairs >>> 16 & 0xff000000ffL) * (1 + (10_000L << 32));
    return (even + odd) >>> 32;
  }

  /** The first position from {@code at} on without a digit. */
  int skipDigits(int at) {
    int next = at;
    while (true) {
      int count = digits(eight(next));
      next += count;
      if (count < Long.BYTES) {
        return next;
      }
    }
  }

  /**
   * The first position from {@code at} on of a bracket, a brace or a letter other than {@code e} or
   * {@code E}, or the end. Does not check the bytes in between.
   */
  int skipToLetter(int at) {
    int next = at;
    while (next < end) {
      long letters = eight(next) & (TOPS | TOPS >>> 1);
      if (letters == 0) {
        next += Long.BYTES;
        continue;
      }
      next += Long.numberOfTrailingZeros(letters) >>> 3;
      if ((at(next) | 0x20) != 'e') {
        return next;
      }
      next++;
    }
    return end;
  }

  /** The first position from {@code at} on without a blank. */
  int skipBlanks(int at) {
    int next = at;
    while (true) {
      int found = at(next);
      if (found > ' ' || (found != ' ' && found != '\n' && found != '\r' && found != '\t')) {
        return next;
      }
      next++;
    }
  }

  /**
   * The first position from {@code at} on of a quotation mark, a backslash or a control character,
   * or the end.
   */
  int skipPlainText(int at) {
    int next = at;
    while (next < end) {
      long word = eight(next);
      long quotes = word ^ ONES * '"';
      long backslashes = word ^ ONES * '\\';
      long found =
          ((quotes - ONES) & ~quotes)
              | ((backslashes - ONES) & ~backslashes)
              | ((word - ONES * ' ') & ~word);
      found &= TOPS;
      if (found != 0) {
        return Math.min(end, next + (Long.numberOfTrailingZeros(found) >>> 3));
      }
      next += Long.BYTES;
    }
    return end;
  }

  /** Whether the bytes from {@code from} to {@code to} are {@code text}, which is ASCII. */
  boolean equals(String text, int from, int to) {
    if (to - from != text.length()) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      if (at(from + i) != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** The bytes from {@code from} to {@code to}, in place. */
  public MemorySegment slice(int from, int to) {
    return bytes.asSlice(from, to - from);
  }

  public byte[] copy(int from, int to) {
    byte[] copy = new byte[to - from];
    MemorySegment.copy(bytes, Elements.BYTE, from, copy, 0, copy.length);
    return copy;
  }

  /** The failure for malformed JSON. */
  public static InferenceException syntaxError(String reason, int at) {
    return InferenceException.malformed(
        "failed to parse the request JSON buffer: %s at %d".formatted(reason, at));
  }
}

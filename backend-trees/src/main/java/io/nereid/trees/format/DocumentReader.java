package io.nereid.trees.format;

import io.nereid.trees.forest.MalformedModelException;
import java.io.IOException;

/**
 * A reader of a document of objects, arrays and values, in the order of the file: what XGBoost's
 * JSON and UBJSON have in common. Each method reads one value; {@link #skip} reads any.
 */
abstract class DocumentReader {
  private static final int MAX_DEPTH = 64;

  /** Longer than any name, and short enough to be kept. */
  static final int MAX_TEXT = 1 << 20;

  final ByteSource source;
  private int depth;

  DocumentReader(ByteSource source) {
    this.source = source;
  }

  /** A reader of an object's members. */
  @FunctionalInterface
  interface Member {
    /** Reads the member's value, which is the next: all of it, and nothing else. */
    void read(String name) throws IOException;
  }

  /** A reader of an array's elements. */
  @FunctionalInterface
  interface Element {
    /** Reads the element, which is the next value. */
    void read() throws IOException;
  }

  abstract void object(Member member) throws IOException;

  abstract void array(Element element) throws IOException;

  abstract String text() throws IOException;

  /** A number or a boolean. */
  abstract double number() throws IOException;

  /** An array of numbers, each rounded to the nearest float. */
  abstract float[] floats() throws IOException;

  /** An array of integers or booleans. */
  abstract int[] ints() throws IOException;

  /** An array of numbers. */
  abstract double[] doubles() throws IOException;

  abstract void skip() throws IOException;

  /** Behind the document. */
  abstract void end() throws IOException;

  /** Enters an object or array. */
  final void enter() throws MalformedModelException {
    if (++depth > MAX_DEPTH) {
      throw source.failure("is in more than %d objects and arrays".formatted(MAX_DEPTH));
    }
  }

  final void leave() {
    depth--;
  }

  /** The value as an int. */
  final int integer(double value) throws MalformedModelException {
    int integer = (int) value;
    if (integer != value) {
      throw source.failure("follows %s, which should be an integer".formatted(value));
    }
    return integer;
  }

  /** What a byte is, for a message. */
  static String named(int b) {
    return b == ByteSource.END
        ? "the end of the file"
        : b > ' ' && b < 0x7F ? "'" + (char) b + "'" : "byte 0x%02x".formatted(b);
  }
}

package io.nereid.trees.format;

import io.nereid.trees.forest.IntList;
import io.nereid.trees.forest.MalformedModelException;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.DoubleStream;

/** A reader of UBJSON (draft 12) as XGBoost writes it: big-endian, arrays of one type counted. */
final class UbjTreeReader extends DocumentReader {
  /** The type of elements that each have their own. */
  private static final int MIXED = 0;

  /** The count of an array that ends with a bracket. */
  private static final long UNTIL_BRACKET = -1;

  UbjTreeReader(ByteSource source) {
    super(source);
  }

  @Override
  void object(Member member) throws IOException {
    expect('{');
    enter();
    if (source.peek() == '$' || source.peek() == '#') {
      throw source.failure("begins a counted object, which XGBoost does not write");
    }
    while (source.peek() != '}') {
      String name = source.text(length());
      member.read(name);
    }
    source.next();
    leave();
  }

  @Override
  void array(Element element) throws IOException {
    long count = beginArray();
    if (type != MIXED) {
      throw source.failure("begins an array of numbers, which should be of objects or texts");
    }
    enter();
    for (long i = 0; more(count, i); i++) {
      element.read();
    }
    leave();
  }

  /** The type of the array that was begun last. */
  private int type;

  /** The number of elements; {@link #UNTIL_BRACKET} if the array does not state it. */
  private long beginArray() throws IOException {
    expect('[');
    type = MIXED;
    if (source.peek() == '$') {
      source.next();
      type = source.next();
      if (source.peek() != '#') {
        throw source.failure("should be the count of an array");
      }
    }
    if (source.peek() != '#') {
      return UNTIL_BRACKET;
    }
    source.next();
    return source.count(length(), type == MIXED ? 1 : sizeOf(type));
  }

  private boolean more(long count, long index) throws IOException {
    if (count != UNTIL_BRACKET) {
      return index < count;
    }
    if (source.peek() != ']') {
      return true;
    }
    source.next();
    return false;
  }

  @Override
  String text() throws IOException {
    int marker = source.next();
    if (marker == 'C') {
      return source.text(1);
    }
    if (marker != 'S') {
      throw source.failure("follows %s, which should begin a text".formatted(named(marker)));
    }
    long length = length();
    if (length > MAX_TEXT) {
      throw source.failure(
          "begins a text of %d bytes, the most are %d".formatted(length, MAX_TEXT));
    }
    return source.text(length);
  }

  @Override
  double number() throws IOException {
    return number(source.next());
  }

  private double number(int marker) throws IOException {
    return switch (marker) {
      case 'T' -> 1;
      case 'F' -> 0;
      case 'i' -> source.int8();
      case 'U' -> source.int8() & 0xFF;
      case 'I' -> source.int16();
      case 'l' -> source.int32();
      case 'L' -> source.int64();
      case 'd' -> source.float32();
      case 'D' -> source.float64();
      default ->
          throw source.failure("follows %s, which should begin a number".formatted(named(marker)));
    };
  }

  @Override
  float[] floats() throws IOException {
    long count = beginArray();
    int elements = type;
    float[] values = new float[count == UNTIL_BRACKET ? 16 : (int) count];
    int size = 0;
    for (; more(count, size); size++) {
      if (size == values.length) {
        values = Arrays.copyOf(values, IntList.grown(size));
      }
      values[size] = (float) number(elements == MIXED ? source.next() : elements);
    }
    return Arrays.copyOf(values, size);
  }

  @Override
  int[] ints() throws IOException {
    long count = beginArray();
    int elements = type;
    var values = new IntList();
    for (long i = 0; more(count, i); i++) {
      values.add(integer(number(elements == MIXED ? source.next() : elements)));
    }
    return values.toArray();
  }

  @Override
  double[] doubles() throws IOException {
    long count = beginArray();
    int elements = type;
    var values = DoubleStream.builder();
    for (long i = 0; more(count, i); i++) {
      values.add(number(elements == MIXED ? source.next() : elements));
    }
    return values.build().toArray();
  }

  private long length() throws IOException {
    int marker = source.next();
    long length =
        switch (marker) {
          case 'i' -> source.int8();
          case 'U' -> source.int8() & 0xFF;
          case 'I' -> source.int16();
          case 'l' -> source.int32();
          case 'L' -> source.int64();
          default ->
              throw source.failure(
                  "follows %s, which should begin a length".formatted(named(marker)));
        };
    if (length < 0) {
      throw source.failure("follows the length %d".formatted(length));
    }
    return length;
  }

  /** The size of an element of a typed array; at least 1, so that a count bounds the work. */
  private int sizeOf(int marker) throws MalformedModelException {
    return switch (marker) {
      case 'i', 'U' -> 1;
      case 'I' -> 2;
      case 'l', 'd' -> 4;
      case 'L', 'D' -> 8;
      default -> throw source.failure("follows an array of the type %s".formatted(named(marker)));
    };
  }

  @Override
  void skip() throws IOException {
    switch (source.peek()) {
      case '{' -> object(_ -> skip());
      case '[' -> skipArray();
      case 'S' -> {
        source.next();
        source.skip(length());
      }
      case 'C' -> {
        source.next();
        source.skip(1);
      }
      case 'N', 'Z' -> source.next();
      default -> number();
    }
  }

  private void skipArray() throws IOException {
    long count = beginArray();
    if (type != MIXED) {
      source.skip(count * sizeOf(type));
      return;
    }
    enter();
    for (long i = 0; more(count, i); i++) {
      skip();
    }
    leave();
  }

  private void expect(int wanted) throws IOException {
    int marker = source.next();
    if (marker != wanted) {
      throw source.failure("follows %s in place of '%c'".formatted(named(marker), (char) wanted));
    }
  }

  @Override
  void end() throws IOException {
    if (source.peek() != ByteSource.END) {
      throw source.failure("is behind the end of the document");
    }
  }
}

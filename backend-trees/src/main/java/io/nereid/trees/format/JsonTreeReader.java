package io.nereid.trees.format;

import io.nereid.trees.forest.IntList;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.DoubleStream;

/** A reader of JSON, in UTF-8; NaN and Infinity are numbers, as XGBoost writes them. */
final class JsonTreeReader extends DocumentReader {
  /** Longer than a number is. */
  private static final int MAX_NUMBER = 64;

  private final char[] token = new char[MAX_NUMBER];

  JsonTreeReader(ByteSource source) {
    super(source);
  }

  @Override
  void object(Member member) throws IOException {
    begin('{');
    if (!endsAtOnce('}')) {
      do {
        String name = text();
        expect(':');
        member.read(name);
      } while (continues('}'));
    }
    leave();
  }

  @Override
  void array(Element element) throws IOException {
    begin('[');
    if (!endsAtOnce(']')) {
      do {
        element.read();
      } while (continues(']'));
    }
    leave();
  }

  private void begin(int bracket) throws IOException {
    expect(bracket);
    enter();
  }

  private boolean endsAtOnce(int bracket) throws IOException {
    if (peek() != bracket) {
      return false;
    }
    source.next();
    return true;
  }

  private boolean continues(int bracket) throws IOException {
    int b = peek();
    if (b != ',' && b != bracket) {
      throw source.failure("is %s in place of ',' or '%c'".formatted(named(b), (char) bracket));
    }
    source.next();
    return b == ',';
  }

  private void expect(int wanted) throws IOException {
    int b = peek();
    if (b != wanted) {
      throw source.failure("is %s in place of '%c'".formatted(named(b), (char) wanted));
    }
    source.next();
  }

  /** The next byte that is no white space. */
  private int peek() throws IOException {
    while (true) {
      int b = source.peek();
      if (b != ' ' && b != '\n' && b != '\r' && b != '\t') {
        return b;
      }
      source.next();
    }
  }

  @Override
  String text() throws IOException {
    var text = new ByteArrayOutputStream();
    readText(text);
    return text.toString(StandardCharsets.UTF_8);
  }

  /**
   * @param text where the bytes go, at most {@link #MAX_TEXT}; null if they are skipped
   */
  private void readText(@org.jspecify.annotations.Nullable ByteArrayOutputStream text)
      throws IOException {
    expect('"');
    while (true) {
      int b = source.next();
      if (b == '"') {
        return;
      }
      if (b == ByteSource.END) {
        throw source.failure("is the end of the file within a text");
      }
      if (text != null && text.size() > MAX_TEXT) {
        throw source.failure("is in a text of more than %d bytes".formatted(MAX_TEXT));
      }
      String unescaped = b == '\\' ? escape() : null;
      if (text == null) {
        continue;
      }
      if (unescaped == null) {
        text.write(b);
      } else {
        text.writeBytes(unescaped.getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  private String escape() throws IOException {
    int b = source.next();
    return switch (b) {
      case '"', '\\', '/' -> String.valueOf((char) b);
      case 'b' -> "\b";
      case 'f' -> "\f";
      case 'n' -> "\n";
      case 'r' -> "\r";
      case 't' -> "\t";
      case 'u' -> {
        char unit = unit();
        if (Character.isHighSurrogate(unit)) {
          char second = source.next() == '\\' && source.next() == 'u' ? unit() : 0;
          if (!Character.isLowSurrogate(second)) {
            throw source.failure("follows half of a character");
          }
          yield new String(new char[] {unit, second});
        }
        yield String.valueOf(unit);
      }
      default -> throw source.failure("follows the unknown escape %s".formatted(named(b)));
    };
  }

  /** One of UTF-16, of which a character beyond the first 65,536 has two. */
  private char unit() throws IOException {
    int unit = 0;
    for (int i = 0; i < 4; i++) {
      int digit = Character.digit(source.next(), 16);
      if (digit < 0) {
        throw source.failure("follows an escape that is no \\uXXXX");
      }
      unit = (unit << 4) | digit;
    }
    return (char) unit;
  }

  @Override
  double number() throws IOException {
    String text = token();
    return switch (text) {
      case "true" -> 1;
      case "false" -> 0;
      default -> parsed(text);
    };
  }

  private double parsed(String text) throws IOException {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException _) {
      throw source.failure("follows '%s', which should be a number".formatted(text));
    }
  }

  /** A number or a word. */
  private String token() throws IOException {
    return new String(token, 0, readToken());
  }

  private int readToken() throws IOException {
    int first = peek();
    int length = 0;
    for (int b = first; isOfToken(b); b = source.peek()) {
      if (length == MAX_NUMBER) {
        throw source.failure("is in a number of more than %d characters".formatted(MAX_NUMBER));
      }
      token[length++] = (char) b;
      source.next();
    }
    if (length == 0) {
      throw source.failure("is %s in place of a number".formatted(named(first)));
    }
    return length;
  }

  private static boolean isOfToken(int b) {
    return (b >= '0' && b <= '9')
        || (b >= 'a' && b <= 'z')
        || (b >= 'A' && b <= 'Z')
        || b == '-'
        || b == '+'
        || b == '.';
  }

  @Override
  float[] floats() throws IOException {
    var values =
        new Object() {
          float[] array = new float[16];
          int size;
        };
    array(() -> {
      if (values.size == values.array.length) {
        values.array = Arrays.copyOf(values.array, IntList.grown(values.size));
      }
      values.array[values.size++] = float32();
    });
    return Arrays.copyOf(values.array, values.size);
  }

  private float float32() throws IOException {
    String text = token();
    try {
      return Float.parseFloat(text);
    } catch (NumberFormatException _) {
      throw source.failure("follows '%s', which should be a number".formatted(text));
    }
  }

  @Override
  int[] ints() throws IOException {
    var values = new IntList();
    array(() -> values.add(integer(number())));
    return values.toArray();
  }

  @Override
  double[] doubles() throws IOException {
    var values = DoubleStream.builder();
    array(() -> values.add(number()));
    return values.build().toArray();
  }

  /** Whether the next value is a text. */
  boolean isText() throws IOException {
    return peek() == '"';
  }

  /** Whether the next value is an array. */
  boolean isArray() throws IOException {
    return peek() == '[';
  }

  @Override
  void skip() throws IOException {
    switch (peek()) {
      case '{' -> object(_ -> skip());
      case '[' -> array(this::skip);
      case '"' -> readText(null);
      default -> readToken();
    }
  }

  @Override
  void end() throws IOException {
    int b = peek();
    if (b != ByteSource.END) {
      throw source.failure("is %s behind the end of the document".formatted(named(b)));
    }
  }
}

package io.nereid.server.http.message;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** The request line and the header fields of a request, as they came. Immutable. */
public final class RequestHead {
  private final byte[] bytes;
  private final String method;
  private final String target;
  private final boolean isHttp10;

  /** Four offsets of each field: of its name, behind its name, of its value, behind its value. */
  private final int[] fields;

  RequestHead(byte[] bytes, String method, String target, boolean isHttp10, int[] fields) {
    this.bytes = bytes;
    this.method = method;
    this.target = target;
    this.isHttp10 = isHttp10;
    this.fields = fields;
  }

  public String method() {
    return method;
  }

  /** The target as it was sent: a path with its query, an absolute URI, or {@code *}. */
  public String target() {
    return target;
  }

  /** Whether the client speaks HTTP/1.0, not 1.1. */
  public boolean isHttp10() {
    return isHttp10;
  }

  /**
   * The values of all fields with a name, in order.
   *
   * @param name case is ignored
   */
  public List<String> values(String name) {
    List<String> values = List.of();
    for (int i = find(name, 0); i >= 0; i = find(name, i + 4)) {
      if (values.isEmpty()) {
        values = new ArrayList<>(1);
      }
      values.add(value(i));
    }
    return values;
  }

  /**
   * Whether there is a field with the name.
   *
   * @param name case is ignored
   */
  public boolean has(String name) {
    return find(name, 0) >= 0;
  }

  /**
   * Whether a field that is a list of tokens, such as {@code Connection}, has a token.
   *
   * @param name case is ignored, as in {@code token}
   */
  public boolean lists(String name, String token) {
    for (int i = find(name, 0); i >= 0; i = find(name, i + 4)) {
      for (String listed : value(i).split(",", -1)) {
        if (listed.strip().equalsIgnoreCase(token)) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * Passes all fields on, in order.
   *
   * @param fieldReader takes names, as they came, and values
   */
  public void forEach(BiConsumer<String, String> fieldReader) {
    for (int i = 0; i < fields.length; i += 4) {
      int length = fields[i + 1] - fields[i];
      fieldReader.accept(
          new String(bytes, fields[i], length, StandardCharsets.ISO_8859_1), value(i));
    }
  }

  private String value(int field) {
    return new String(
        bytes,
        fields[field + 2],
        fields[field + 3] - fields[field + 2],
        StandardCharsets.ISO_8859_1);
  }

  /** The index of a field with the name, from an index on; -1 if there is none. */
  private int find(String name, int from) {
    for (int i = from; i < fields.length; i += 4) {
      int length = fields[i + 1] - fields[i];
      if (length == name.length() && matches(fields[i], name)) {
        return i;
      }
    }
    return -1;
  }

  private boolean matches(int offset, String name) {
    for (int i = 0; i < name.length(); i++) {
      if (lower(bytes[offset + i]) != lower(name.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private static int lower(int ascii) {
    return ascii >= 'A' && ascii <= 'Z' ? ascii + ('a' - 'A') : ascii;
  }
}

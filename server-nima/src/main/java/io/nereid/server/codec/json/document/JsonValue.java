package io.nereid.server.codec.json.document;

import io.nereid.error.InferenceException;
import io.nereid.server.codec.RequestLimits;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A value in a {@link JsonDocument}. An accessor of another type throws INTERNAL with Triton's text
 * {@code Unable to parse '<label>': attempt to access JSON ...}.
 *
 * @param label the member's name, for messages; empty for the root; an element has its array's
 * @param at the position of its first byte
 */
public record JsonValue(JsonDocument document, String label, int at) {
  /** A member of an object. */
  public record Member(String name, JsonValue value) {}

  public boolean isObject() {
    return first() == '{';
  }

  public boolean isArray() {
    return first() == '[';
  }

  public boolean isString() {
    return first() == '"';
  }

  public boolean isBoolean() {
    return first() == 't' || first() == 'f';
  }

  public boolean isNull() {
    return first() == 'n';
  }

  /** Whether it is a number, including NaN and the infinities. */
  public boolean isNumber() {
    int first = first();
    return (first >= '0' && first <= '9') || first == '-' || first == 'N' || first == 'I';
  }

  /** Whether {@link #asLong} would succeed. */
  public boolean isLong() {
    return isLong(new NumberScanner(document.text()));
  }

  /** Whether {@link #asUnsignedLong} would succeed. */
  public boolean isUnsignedLong() {
    return isUnsignedLong(new NumberScanner(document.text()));
  }

  /** This value, whose accessors throw {@code attempt to access JSON ...} alone. */
  public JsonValue withoutLabel() {
    return new JsonValue(document, "", at);
  }

  /** The first member of that name; empty if none has it, or if this is not an object. */
  public Optional<JsonValue> member(String name) {
    return Optional.ofNullable(find(name));
  }

  /** As {@link #member}; null if no member has the name. */
  public @Nullable JsonValue find(String name) {
    if (!isObject()) {
      return null;
    }
    boolean ascii = isAscii(name);
    int object = document.entryAt(at);
    for (int entry = object + 1; entry < document.next(object); ) {
      int value = entry + 1;
      if (document.isNamed(entry, name, ascii)) {
        return new JsonValue(document, name, document.start(value));
      }
      entry = document.next(value);
    }
    return null;
  }

  private static boolean isAscii(String name) {
    for (int i = 0; i < name.length(); i++) {
      if (name.charAt(i) >= 0x80) {
        return false;
      }
    }
    return true;
  }

  /** The first member of that name; throws if no member has it. */
  public JsonValue required(String name) {
    JsonValue found = find(name);
    if (found == null) {
      throw InferenceException.malformed(
          "Unable to parse '%s': attempt to access non-existing object member '%s'"
              .formatted(name, name));
    }
    return found;
  }

  /**
   * An object's members in the order of the text, including repeated names.
   *
   * @param most the limit of their number
   * @param what they are in a failure, in the plural
   * @param longest the limit of a name's bytes
   * @throws InferenceException INTERNAL if this is not an object, INVALID_ARGUMENT beyond a limit
   */
  public List<Member> members(int most, String what, int longest) {
    require(isObject(), "attempt to get members for non-object");
    var members = new ArrayList<Member>();
    int object = document.entryAt(at);
    for (int entry = object + 1; entry < document.next(object); ) {
      if (members.size() == most) {
        throw RequestLimits.tooMany(what, most);
      }
      String name = JsonStrings.decode(document.text(), document.start(entry), longest);
      if (name == null) {
        throw tooLong("a name among the " + what, document.start(entry), longest);
      }
      int value = entry + 1;
      members.add(new Member(name, new JsonValue(document, name, document.start(value))));
      entry = document.next(value);
    }
    return members;
  }

  /**
   * An array's elements.
   *
   * @throws InferenceException INTERNAL if this is not an array
   */
  public List<JsonValue> elements() {
    return elements(Integer.MAX_VALUE, "elements");
  }

  /**
   * An array's elements.
   *
   * @param most the limit of their number
   * @param what they are in a failure, in the plural
   * @throws InferenceException INTERNAL if this is not an array, INVALID_ARGUMENT beyond the limit
   */
  public List<JsonValue> elements(int most, String what) {
    var elements = new ArrayList<JsonValue>();
    for (int next = firstElement(); next >= 0; next = elementAfter(next)) {
      if (elements.size() == most) {
        throw RequestLimits.tooMany(what, most);
      }
      elements.add(new JsonValue(document, label, next));
    }
    return elements;
  }

  /**
   * The number of an array's elements, which takes a pass over its text.
   *
   * @throws InferenceException INTERNAL if this is not an array
   */
  public long elementCount() {
    long count = 0;
    for (int next = firstElement(); next >= 0; next = elementAfter(next)) {
      count++;
    }
    return count;
  }

  /** The position of an array's first element; negative if it is empty. */
  public int firstElement() {
    requireArray();
    document.requireChecked(at);
    return element(at + 1);
  }

  /** The position of the element behind the one at {@code element}; negative if it is the last. */
  public int elementAfter(int element) {
    int next = document.text().skipBlanks(document.skip(element));
    return element(document.text().at(next) == ',' ? next + 1 : next);
  }

  private int element(int from) {
    int next = document.text().skipBlanks(from);
    return document.text().at(next) == ']' ? -1 : next;
  }

  public JsonValue requireArray() {
    require(isArray(), "attempt to access JSON non-array as array");
    return this;
  }

  public String asString() {
    return asString("a text", Integer.MAX_VALUE);
  }

  /**
   * A string.
   *
   * @param what it is in a failure
   * @param most the limit of its bytes in UTF-8
   * @throws InferenceException INTERNAL if this is not a string, INVALID_ARGUMENT beyond the limit
   */
  public String asString(String what, int most) {
    requireString();
    String text = JsonStrings.decode(document.text(), at, most);
    if (text == null) {
      throw tooLong(what, at, most);
    }
    return text;
  }

  /**
   * The bytes of a string's content, one by one.
   *
   * @throws InferenceException INTERNAL if this is not a string
   */
  public InputStream stringStream() {
    requireString();
    return new JsonStringStream(document.text(), at);
  }

  /** The size of {@link #stringStream}. */
  public int stringSize() {
    return JsonStrings.unescapedSize(document.text(), at);
  }

  public JsonValue requireString() {
    require(isString(), "attempt to access JSON non-string as string");
    return this;
  }

  private InferenceException tooLong(String what, int start, int most) {
    JsonBytes text = document.text();
    return RequestLimits.tooLong(
        what, JsonStrings.unescapedSize(text, start), most, JsonStrings.raw(text, start, most));
  }

  public boolean asBoolean() {
    require(isBoolean(), "attempt to access JSON non-boolean as boolean");
    return first() == 't';
  }

  /** An integer from -2^63 to 2^63 - 1, written without fraction and exponent. */
  public long asLong() {
    var scanner = new NumberScanner(document.text());
    require(isLong(scanner), "attempt to access JSON non-signed-integer as signed-integer");
    return scanner.integer();
  }

  /** An integer from 0 to 2^64 - 1, written without fraction and exponent. */
  public long asUnsignedLong() {
    var scanner = new NumberScanner(document.text());
    require(
        isUnsignedLong(scanner), "attempt to access JSON non-unsigned-integer as unsigned-integer");
    return scanner.integer();
  }

  /** Any number. */
  public double asDouble() {
    require(isNumber(), "attempt to access JSON non-number as double");
    return new NumberScanner(document.text()).nextDouble(at);
  }

  private boolean isLong(NumberScanner scanner) {
    return isNumber() && scanner.nextInteger(at) && scanner.isNegative() == (scanner.integer() < 0);
  }

  private boolean isUnsignedLong(NumberScanner scanner) {
    return isNumber() && scanner.nextInteger(at) && !scanner.isNegative();
  }

  private int first() {
    return document.text().at(at);
  }

  private void require(boolean fulfilled, String otherwise) {
    if (!fulfilled) {
      throw InferenceException.malformed(
          label.isEmpty() ? otherwise : "Unable to parse '%s': %s".formatted(label, otherwise));
    }
  }
}

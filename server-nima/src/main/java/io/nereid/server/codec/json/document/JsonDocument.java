package io.nereid.server.codec.json.document;

import io.nereid.error.InferenceException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;

/**
 * A checked JSON document in off-heap memory, accessed by {@link JsonValue}s. The memory must
 * outlive it. For one thread.
 */
public final class JsonDocument {
  /** The most bytes that a character of a name, a unit of UTF-16, has in UTF-8. */
  private static final int BYTES_OF_A_CHARACTER = 3;

  private final JsonBytes text;
  private final int[] tape;
  private final int entries;

  /** The entries of arrays whose numbers have not been checked. */
  private final BitSet unchecked;

  /** The last entry found: lookups of members often repeat it. */
  private int foundLast;

  private JsonDocument(JsonBytes text, JsonParser parser) {
    this.text = text;
    this.tape = parser.parse();
    this.entries = parser.entries();
    this.unchecked = parser.unchecked();
  }

  /**
   * Checks a document.
   *
   * @param text UTF-8, off-heap, borrowed for as long as the document is used; at most 2^31 - 1
   *     bytes
   * @throws InferenceException INTERNAL with reason and offset if it is malformed
   */
  public static JsonDocument parse(MemorySegment text) {
    var bytes = new JsonBytes(text);
    return new JsonDocument(bytes, new JsonParser(bytes, false));
  }

  /**
   * Checks a document except for long runs of numbers in arrays, which {@code JsonTensorData}
   * checks as it converts them. While {@link #hasUnchecked}, values and failures are provisional.
   *
   * @throws InferenceException as {@link #parse} does
   */
  public static JsonDocument parseLeavingNumbers(MemorySegment text) {
    var bytes = new JsonBytes(text);
    var parser = new JsonParser(bytes, true);
    try {
      return new JsonDocument(bytes, parser);
    } catch (InferenceException malformed) {
      if (parser.unchecked().isEmpty()) {
        throw malformed;
      }
    }
    return parse(text); // finds the first error
  }

  /** Whether any array has unchecked numbers. */
  public boolean hasUnchecked() {
    return !unchecked.isEmpty();
  }

  /** Rejects a document with unchecked numbers. */
  public void requireAllChecked() {
    if (hasUnchecked()) {
      throw unchecked(unchecked.nextSetBit(0));
    }
  }

  /** Rejects an array with unchecked numbers. */
  void requireChecked(int at) {
    if (hasUnchecked()) {
      int entry = find(at);
      if (entry >= 0 && unchecked.get(entry)) {
        throw unchecked(entry);
      }
    }
  }

  /** Marks the array at {@code at} as checked. */
  public void setChecked(int at) {
    if (hasUnchecked()) {
      int entry = find(at);
      if (entry >= 0) {
        unchecked.clear(entry);
      }
    }
  }

  private InferenceException unchecked(int entry) {
    return JsonBytes.syntaxError("Unchecked numbers in the array", start(entry));
  }

  /** The root value. */
  public JsonValue root() {
    return new JsonValue(this, "", start(0));
  }

  public JsonBytes text() {
    return text;
  }

  int start(int entry) {
    return tape[entry * JsonParser.STRIDE + JsonParser.START];
  }

  int end(int entry) {
    return tape[entry * JsonParser.STRIDE + JsonParser.END];
  }

  /** The first entry after those within this one. */
  int next(int entry) {
    return tape[entry * JsonParser.STRIDE + JsonParser.NEXT];
  }

  /** The entry of the object, member or root that starts at {@code at}. */
  int entryAt(int at) {
    int entry = find(at);
    if (entry < 0) {
      throw new IllegalArgumentException("no object starts at " + at);
    }
    return entry;
  }

  /** As {@link #entryAt}; negative for a value without an entry. */
  private int find(int at) {
    if (start(foundLast) == at) {
      return foundLast;
    }
    int low = 0;
    int high = entries - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (start(middle) < at) {
        low = middle + 1;
      } else if (start(middle) > at) {
        high = middle - 1;
      } else {
        foundLast = middle;
        return middle;
      }
    }
    return -1;
  }

  /**
   * Whether an entry is the name {@code name}.
   *
   * @param ascii whether the name is ASCII: its text is then equal, or longer if it has escapes
   */
  boolean isNamed(int entry, String name, boolean ascii) {
    int from = start(entry) + 1;
    int to = end(entry) - 1;
    if (text.equals(name, from, to)) {
      return true;
    }
    if (ascii && (to - from <= name.length() || text.skipPlainText(from) >= to)) {
      return false;
    }
    int most = BYTES_OF_A_CHARACTER * name.length();
    return name.equals(JsonStrings.decode(text, start(entry), most));
  }

  /** The position after the value at {@code at}. */
  int skip(int at) {
    int depth = 0;
    int next = at;
    do {
      next = text.skipBlanks(next);
      switch (text.at(next)) {
        case '[' -> {
          depth++;
          next++;
        }
        case ']' -> {
          depth--;
          next++;
        }
        case ',' -> next++;
        case '{' -> next = end(entryAt(next));
        case '"' -> next = JsonStrings.skip(text, next);
        case 't', 'n' -> next += 4;
        case 'f' -> next += 5;
        default -> next = JsonNumbers.check(text, next);
      }
    } while (depth > 0);
    return next;
  }

  @Override
  public String toString() {
    return "JSON of %d bytes, tape %s"
        .formatted(
            text.end(),
            Arrays.toString(Arrays.copyOf(tape, Math.min(entries * JsonParser.STRIDE, 30))));
  }
}

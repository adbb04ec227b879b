package io.nereid.protocol;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * A JSON document in off-heap memory that has been checked once, to walk through by {@link
 * JsonValue}s. It reads the memory when asked, so the memory must outlive it. By one thread.
 */
public final class JsonDocument {
  private final JsonBytes text;
  private final int[] tape;

  private JsonDocument(JsonBytes text, int[] tape) {
    this.text = text;
    this.tape = tape;
  }

  /**
   * Checks a document.
   *
   * @param text UTF-8, off-heap, borrowed for as long as the document is used; at most 2^31 - 1
   *     bytes
   * @throws io.nereid.error.InferenceException INTERNAL with reason and offset if it is no JSON
   */
  public static JsonDocument parse(MemorySegment text) {
    var bytes = new JsonBytes(text);
    return new JsonDocument(bytes, new JsonParser(bytes).parse());
  }

  /** The value that is the document. */
  public JsonValue root() {
    return new JsonValue(this, "", start(0));
  }

  JsonBytes text() {
    return text;
  }

  int entries() {
    return tape.length / JsonParser.STRIDE;
  }

  int start(int entry) {
    return tape[entry * JsonParser.STRIDE + JsonParser.START];
  }

  int end(int entry) {
    return tape[entry * JsonParser.STRIDE + JsonParser.END];
  }

  /** The first entry behind all that lie within this one. */
  int next(int entry) {
    return tape[entry * JsonParser.STRIDE + JsonParser.NEXT];
  }

  /** The entry of the value that starts at {@code at}: an object's, a member's or the root's. */
  int entryAt(int at) {
    int low = 0;
    int high = entries() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (start(middle) < at) {
        low = middle + 1;
      } else if (start(middle) > at) {
        high = middle - 1;
      } else {
        return middle;
      }
    }
    throw new IllegalArgumentException("no object starts at " + at);
  }

  /** Whether the member named by this entry has that name. */
  boolean isNamed(int entry, String name) {
    int from = start(entry) + 1;
    int to = end(entry) - 1;
    return text.equals(name, from, to)
        || (!isPlain(name, from, to) && JsonStrings.decode(text, start(entry)).equals(name));
  }

  /** Whether neither the name sought nor the name found needs decoding to be compared. */
  private boolean isPlain(String name, int from, int to) {
    return text.skipPlainText(from) >= to && name.chars().allMatch(unit -> unit < 0x80);
  }

  /** The position behind the value at {@code at}, for values that have no entry as well. */
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
        .formatted(text.end(), Arrays.toString(Arrays.copyOf(tape, Math.min(tape.length, 30))));
  }
}

package io.nereid.server.codec.json.document;

import io.nereid.error.InferenceException;
import java.util.Arrays;
import java.util.BitSet;

/**
 * A parser that checks a document in one pass and records its objects and members on a tape.
 *
 * <p>The tape has {@value #STRIDE} ints per entry: the start of the value, its end, and the first
 * entry after those within it. An object's entry is followed by a name and a value for each member;
 * an array's entry by the objects in it, at any depth. Scalars and arrays in arrays have no entry,
 * so an array of a million numbers takes one entry; its elements are read from the checked text.
 *
 * <p>The parser does not recurse. Nested objects cost heap, nested arrays do not.
 */
final class JsonParser {
  static final int STRIDE = 3;
  static final int START = 0;
  static final int END = 1;
  static final int NEXT = 2;

  /**
   * Limits the tape, which is on the heap, to 1.5 MiB: enough for the inputs and outputs that a
   * request may have, each with all of its members.
   */
  private static final int MAX_ENTRIES = 1 << 17;

  /** The ints of an open container: its entry, and the depth of arrays without an entry in it. */
  private static final int FRAME = 2;

  /** The least length of a run of numbers that is left unchecked; longer than a shape. */
  private static final int MIN_UNCHECKED_LENGTH = 32;

  private final JsonBytes text;
  private final boolean leavesNumbers;
  private final BitSet unchecked = new BitSet();
  private int at;
  private int[] tape = new int[32 * STRIDE];
  private int entries;
  private int[] frames = new int[8 * FRAME];
  private int depth;

  /** Whether the innermost container has no element yet. */
  private boolean opened;

  /**
   * @param leavesNumbers whether to skip long runs of numbers in arrays, unchecked
   */
  JsonParser(JsonBytes text, boolean leavesNumbers) {
    this.text = text;
    this.leavesNumbers = leavesNumbers;
  }

  /**
   * Checks the document and returns the tape, {@link #entries} long or longer; entry 0 is the root.
   */
  int[] parse() {
    if ((text.eight(0) & 0xffffff) == 0xbfbbef) {
      at = 3; // byte order mark
    }
    switch (next()) {
      case -1, ']', '}', ',', ':' -> throw JsonBytes.syntaxError("The document is empty.", at);
      default -> value();
    }
    while (depth > 0) {
      int container = frames[(depth - 1) * FRAME];
      if (text.at(tape[container * STRIDE + START]) == '{') {
        members();
      } else {
        elements();
      }
    }
    if (next() >= 0) {
      throw JsonBytes.syntaxError("The document root must not be followed by other values.", at);
    }
    return tape;
  }

  /** The number of entries on the tape. */
  int entries() {
    return entries;
  }

  /** The entries of arrays with unchecked numbers. */
  BitSet unchecked() {
    return unchecked;
  }

  /** Parses members until the object ends or a value opens a container. */
  private void members() {
    while (true) {
      int found = next();
      if (found == '}') {
        at++;
        close();
        return;
      }
      if (!opened) {
        if (found != ',') {
          throw JsonBytes.syntaxError("Missing a comma or } after an object member.", at);
        }
        at++;
        found = next();
      }
      opened = false;
      if (found != '"') {
        throw JsonBytes.syntaxError("Missing a name for object member.", at);
      }
      int name = add(at);
      at = JsonStrings.check(text, at);
      finish(name);
      if (next() != ':') {
        throw JsonBytes.syntaxError("Missing a colon after a name of object member.", at);
      }
      at++;
      next();
      if (value()) {
        return;
      }
    }
  }

  /** Parses a value that gets an entry; returns true if it opens a container. */
  private boolean value() {
    int entry = add(at);
    int found = text.at(at);
    if (found == '{' || found == '[') {
      at++;
      open(entry);
      return true;
    }
    scalar(found);
    finish(entry);
    return false;
  }

  /** Parses elements until the array ends or an object opens. */
  private void elements() {
    int frame = (depth - 1) * FRAME;
    while (true) {
      int found = next();
      if (found == ']') {
        at++;
        opened = false;
        if (frames[frame + 1]-- == 0) {
          close();
          return;
        }
        continue;
      }
      if (!opened) {
        if (found != ',') {
          throw JsonBytes.syntaxError("Missing a comma or ] after an array element.", at);
        }
        at++;
        found = next();
      }
      opened = false;
      if (found == '[') {
        at++;
        frames[frame + 1]++;
        opened = true;
      } else if (found == '{') {
        value();
        return;
      } else if (found == '-' || (found >= '0' && found <= '9')) {
        numbers(frames[frame]);
      } else {
        scalar(found);
      }
    }
  }

  /** Checks the numbers up to the next bracket, or marks the array as unchecked. */
  private void numbers(int array) {
    if (leavesNumbers) {
      int end = text.skipToLetter(at);
      if (end - at >= MIN_UNCHECKED_LENGTH && text.at(end) == ']') {
        unchecked.set(array);
        at = end;
        return;
      }
    }
    at = JsonNumbers.checkRun(text, at);
  }

  private void scalar(int found) {
    at =
        switch (found) {
          case '"' -> JsonStrings.check(text, at);
          case 't' -> JsonNumbers.follow(text, at, "true");
          case 'f' -> JsonNumbers.follow(text, at, "false");
          case 'n' -> JsonNumbers.follow(text, at, "null");
          default -> JsonNumbers.check(text, at);
        };
  }

  /** Skips blanks and returns the next byte. */
  private int next() {
    at = text.skipBlanks(at);
    return text.at(at);
  }

  private int add(int start) {
    if (entries == MAX_ENTRIES) {
      throw InferenceException.invalid(
          "JSON has more than %d objects and members".formatted(MAX_ENTRIES / 2));
    }
    if (entries * STRIDE == tape.length) {
      tape = Arrays.copyOf(tape, 2 * tape.length);
    }
    tape[entries * STRIDE + START] = start;
    return entries++;
  }

  private void finish(int entry) {
    tape[entry * STRIDE + END] = at;
    tape[entry * STRIDE + NEXT] = entries;
  }

  private void open(int entry) {
    if (depth * FRAME == frames.length) {
      frames = Arrays.copyOf(frames, 2 * frames.length);
    }
    frames[depth * FRAME] = entry;
    frames[depth * FRAME + 1] = 0;
    depth++;
    opened = true;
  }

  private void close() {
    depth--;
    opened = false;
    finish(frames[depth * FRAME]);
  }
}

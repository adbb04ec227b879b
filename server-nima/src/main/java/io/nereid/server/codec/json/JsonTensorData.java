package io.nereid.server.codec.json;

import io.nereid.error.InferenceException;
import io.nereid.server.codec.json.document.JsonBytes;
import io.nereid.server.codec.json.document.JsonDocument;
import io.nereid.server.codec.json.document.JsonStrings;
import io.nereid.server.codec.json.document.JsonValue;
import io.nereid.server.codec.json.document.NumberScanner;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import java.lang.foreign.MemorySegment;

/**
 * Converts an input's {@code data} from the text to the tensor's bytes. Arrays may nest in any way:
 * the elements are the leaves in the order of the text. A value that is no array is the only leaf.
 */
public final class JsonTensorData {
  private static final int MAX_DEPTH = 100;
  private static final int NO_MORE = -1;

  /** The length of the word. */
  private static final int NULL = 4;

  private final String input;
  private final DataType dataType;
  private final JsonDocument document;
  private final JsonBytes text;
  private final NumberScanner numbers;
  private final int start;
  private final boolean takesNull;

  private int at;
  private int depth;

  /**
   * @param input its name, for messages
   * @param data an array, or a member of an object
   * @param takesNull whether null is a missing value: NaN, or an empty string
   */
  JsonTensorData(String input, DataType dataType, JsonValue data, boolean takesNull) {
    this.input = input;
    this.dataType = dataType;
    this.text = data.document().text();
    this.document = data.document();
    this.numbers = new NumberScanner(text, document.hasUnchecked());
    this.start = data.at();
    this.takesNull = takesNull;
  }

  /**
   * Converts the leaves.
   *
   * @param count the required number of leaves
   * @param target has room for {@code count} elements, or for all that the text can hold
   * @return the number of leaves; {@code count + 1} if there are more than required
   */
  long read(long count, MemorySegment target) {
    at = start;
    depth = 0;
    long read =
        switch (dataType) {
          case FP32 -> readFloats(count, target);
          case FP64 -> readDoubles(count, target);
          case BOOL -> readBooleans(count, target);
          case UINT8, UINT16, UINT32, UINT64 -> readIntegers(count, target, true);
          case INT8, INT16, INT32, INT64 -> readIntegers(count, target, false);
          case BYTES, FP16, BF16 -> throw new IllegalArgumentException(dataType.name());
        };
    document.setChecked(start);
    return read;
  }

  private long readFloats(long count, MemorySegment target) {
    long index = 0;
    for (int leaf = nextLeaf(); leaf != NO_MORE; leaf = nextLeaf(), index++) {
      if (index == count) {
        return count + 1;
      }
      target.set(
          Elements.FLOAT,
          index * Float.BYTES,
          isMissing(leaf, index) ? Float.NaN : numbers.nextFloat(at));
      at = leaf == 'n' ? at + NULL : numbers.end();
    }
    return index;
  }

  private long readDoubles(long count, MemorySegment target) {
    long index = 0;
    for (int leaf = nextLeaf(); leaf != NO_MORE; leaf = nextLeaf(), index++) {
      if (index == count) {
        return count + 1;
      }
      target.set(
          Elements.DOUBLE,
          index * Double.BYTES,
          isMissing(leaf, index) ? Double.NaN : numbers.nextDouble(at));
      at = leaf == 'n' ? at + NULL : numbers.end();
    }
    return index;
  }

  private long readBooleans(long count, MemorySegment target) {
    long index = 0;
    for (int leaf = nextLeaf(); leaf != NO_MORE; leaf = nextLeaf(), index++) {
      if (index == count) {
        return count + 1;
      }
      if (leaf != 't' && leaf != 'f') {
        throw wrongType("attempt to access JSON non-boolean as boolean", leaf, index);
      }
      target.set(Elements.BYTE, index, (byte) (leaf == 't' ? 1 : 0));
      at += leaf == 't' ? 4 : 5;
    }
    return index;
  }

  private long readIntegers(long count, MemorySegment target, boolean unsigned) {
    int byteSize = dataType.byteSize();
    int unused = Long.SIZE - byteSize * Byte.SIZE;
    long index = 0;
    for (int leaf = nextLeaf(); leaf != NO_MORE; leaf = nextLeaf(), index++) {
      if (index == count) {
        return count + 1;
      }
      boolean integer = isNumber(leaf) && numbers.nextInteger(at);
      long value = numbers.integer();
      if (unsigned) {
        if (!integer || numbers.isNegative()) {
          throw wrongType(
              "attempt to access JSON non-unsigned-integer as unsigned-integer", leaf, index);
        }
        requireRange(value, value << unused >>> unused);
      } else {
        if (!integer || numbers.isNegative() != value < 0) {
          throw wrongType(
              "attempt to access JSON non-signed-integer as signed-integer", leaf, index);
        }
        requireRange(value, value << unused >> unused);
      }
      put(target, index * byteSize, value);
      at = numbers.end();
    }
    return index;
  }

  private void put(MemorySegment target, long offset, long value) {
    switch (dataType.byteSize()) {
      case Byte.BYTES -> target.set(Elements.BYTE, offset, (byte) value);
      case Short.BYTES -> target.set(Elements.SHORT, offset, (short) value);
      case Integer.BYTES -> target.set(Elements.INT, offset, (int) value);
      default -> target.set(Elements.LONG, offset, value);
    }
  }

  /** The byte size of the strings as BYTES elements. */
  long bytesSize() {
    at = start;
    depth = 0;
    long size = 0;
    long index = 0;
    for (int leaf = nextLeaf(); leaf != NO_MORE; leaf = nextLeaf(), index++) {
      if (leaf == 'n' && takesNull) {
        size += Integer.BYTES;
        at += NULL;
        continue;
      }
      if (leaf != '"') {
        throw wrongType("attempt to access JSON non-string as string", leaf, index);
      }
      size += Integer.BYTES + JsonStrings.unescapedSize(text, at);
      at = JsonStrings.skip(text, at);
    }
    return size;
  }

  /** Writes the strings as BYTES elements, after {@link #bytesSize}. */
  void readBytes(MemorySegment target) {
    at = start;
    depth = 0;
    long offset = 0;
    for (int leaf = nextLeaf(); leaf != NO_MORE; leaf = nextLeaf()) {
      long start = offset + Integer.BYTES;
      if (leaf == 'n') {
        target.set(Elements.INT, offset, 0);
        offset = start;
        at += NULL;
        continue;
      }
      long end = JsonStrings.unescape(text, at, target, start);
      target.set(Elements.INT, offset, (int) (end - start));
      offset = end;
      at = JsonStrings.skip(text, at);
    }
  }

  /**
   * Advances to the next leaf and returns its first byte, or {@link #NO_MORE} after the last one.
   * Checks that exactly one comma separates two values.
   */
  private int nextLeaf() {
    int commas = 0;
    int found = text.at(at);
    if (found == ',') {
      commas = 1;
      found = text.at(++at);
      if (found == ' ') {
        found = text.at(++at); // common writers put one blank or none
      }
      if (found >= '-' && found <= '9') {
        return found; // never behind a value that is no array: a name follows it
      }
    }
    boolean opened = depth == 0;
    if (opened && at != start) {
      return NO_MORE;
    }
    while (true) {
      switch (found) {
        case ' ', '\n', '\r', '\t' -> {}
        case ',' -> commas++;
        case '[' -> {
          requireCommas(commas, opened ? 0 : 1);
          commas = 0;
          opened = true;
          if (++depth > MAX_DEPTH) {
            throw InferenceException.invalid(
                (dataType == DataType.BYTES ? "" : "Unable to parse 'data': ")
                    + "JSON nesting depth exceeds maximum allowed limit (100)");
          }
        }
        case ']' -> {
          requireCommas(commas, 0);
          opened = false;
          if (--depth == 0) {
            at++;
            return NO_MORE;
          }
        }
        default -> {
          requireCommas(commas, opened ? 0 : 1);
          return found;
        }
      }
      found = text.at(++at);
    }
  }

  private void requireCommas(int commas, int expected) {
    if (commas != expected) {
      throw JsonBytes.syntaxError("Invalid value.", at);
    }
  }

  private static boolean isNumber(int leaf) {
    return (leaf >= '0' && leaf <= '9') || leaf == '-' || leaf == 'N' || leaf == 'I';
  }

  /** Whether a leaf is null, and means that its value is missing; otherwise it is a number. */
  private boolean isMissing(int leaf, long index) {
    if (isNumber(leaf)) {
      return false;
    }
    if (leaf != 'n' || !takesNull) {
      throw wrongType("attempt to access JSON non-number as double", leaf, index);
    }
    return true;
  }

  private void requireRange(long value, long narrowed) {
    if (value != narrowed) {
      throw InferenceException.invalid(
          "input '%s': %s is out of range for %s"
              .formatted(
                  input, numbers.isNegative() ? value : Long.toUnsignedString(value), dataType));
    }
  }

  /** Triton's text, and which element it is. */
  private InferenceException wrongType(String text, int leaf, long index) {
    boolean ofNumbers = dataType != DataType.BYTES && dataType != DataType.BOOL;
    return InferenceException.malformed(
        "Unable to parse %s: %s: element %d of input '%s' is %s"
            .formatted(
                dataType == DataType.BYTES ? "JSON bytes array" : "'data'",
                text,
                index,
                input,
                switch (leaf) {
                  case 'n' -> "null";
                  case '"' -> "a string";
                  case 't', 'f' ->
                      ofNumbers ? "a boolean: write 1 for true, 0 for false" : "a boolean";
                  case '{' -> "an object";
                  default -> ofNumbers ? "another number" : "a number";
                }));
  }
}

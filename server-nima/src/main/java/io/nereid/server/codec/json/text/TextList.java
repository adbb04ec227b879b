package io.nereid.server.codec.json.text;

import io.nereid.server.codec.json.document.JsonBytes;
import io.nereid.server.codec.json.document.JsonStrings;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.Elements;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** The places of strings in a checked body, which outlives this. For one thread. */
public final class TextList {
  private final JsonBytes body;
  private int[] starts = new int[4];
  private int count;
  private long byteSize;

  TextList(JsonBytes body) {
    this.body = body;
  }

  /**
   * Adds a string.
   *
   * @param at the position of its opening quotation mark
   * @return the size of its content in bytes
   */
  int add(int at) {
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, 2 * count);
    }
    starts[count++] = at;
    int size = JsonStrings.unescapedSize(body, at);
    byteSize += BytesElements.PREFIX + (long) size;
    return size;
  }

  public int count() {
    return count;
  }

  /** The size of all as BYTES elements. */
  long byteSize() {
    return byteSize;
  }

  /** Writes all as BYTES elements. */
  void write(MemorySegment target) {
    long offset = 0;
    for (int i = 0; i < count; i++) {
      long start = offset + BytesElements.PREFIX;
      long end = JsonStrings.unescape(body, starts[i], target, start);
      target.set(Elements.INT, offset, (int) (end - start));
      offset = end;
    }
  }

  /** A string as it is in the body, with its quotation marks. */
  MemorySegment json(int index) {
    return body.slice(starts[index], JsonStrings.skip(body, starts[index]));
  }
}

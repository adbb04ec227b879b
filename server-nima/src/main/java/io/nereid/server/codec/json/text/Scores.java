package io.nereid.server.codec.json.text;

import io.nereid.tensor.Elements;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** The order of scores. */
final class Scores {
  private Scores() {}

  static float at(MemorySegment scores, long index) {
    return scores.get(Elements.FLOAT, index * Float.BYTES);
  }

  /**
   * The indexes of scores, the best first; of equal ones the first.
   *
   * @param from the first one's index
   * @return indexes that count from {@code from}
   */
  static int[] order(MemorySegment scores, long from, int count) {
    long[] keys = new long[count];
    for (int i = 0; i < count; i++) {
      int bits = Float.floatToIntBits(at(scores, from + i));
      // As integers of that order: the magnitude of negative floats grows downwards.
      int ascending = bits ^ (bits >> 31 & Integer.MAX_VALUE);
      keys[i] = (long) ~ascending << 32 | i;
    }
    Arrays.sort(keys);
    int[] order = new int[count];
    for (int i = 0; i < count; i++) {
      order[i] = (int) keys[i];
    }
    return order;
  }
}

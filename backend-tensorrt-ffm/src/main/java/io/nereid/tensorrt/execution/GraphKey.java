package io.nereid.tensorrt.execution;

import java.util.Arrays;

/**
 * What a CUDA graph was captured for: the dimensions of the inputs, and the addresses of all
 * buffers. A key is filled again and again for look-ups; a {@linkplain #copy() copy} is kept.
 */
final class GraphKey {
  private long[] values = new long[32];
  private int length;

  GraphKey() {}

  private GraphKey(long[] values) {
    this.values = values;
    this.length = values.length;
  }

  void clear() {
    length = 0;
  }

  void add(long value) {
    if (length == values.length) {
      values = Arrays.copyOf(values, 2 * length);
    }
    values[length++] = value;
  }

  GraphKey copy() {
    return new GraphKey(Arrays.copyOf(values, length));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof GraphKey key
        && Arrays.equals(values, 0, length, key.values, 0, key.length);
  }

  /** 64 bits of the values, mixed. */
  long mixed() {
    long mixed = length;
    for (int i = 0; i < length; i++) {
      mixed = (mixed ^ values[i]) * 0x9E3779B97F4A7C15L;
      mixed ^= mixed >>> 32;
    }
    return mixed;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(mixed());
  }
}

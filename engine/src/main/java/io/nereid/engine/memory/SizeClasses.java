package io.nereid.engine.memory;

/**
 * The block sizes of a pool: four to each doubling, so that at most a fifth of a block is unused.
 * Sizes are multiples of 64.
 */
final class SizeClasses {
  static final long SMALLEST = 256;

  /** The largest block that is kept for reuse. */
  static final long LARGEST = 64L << 20;

  private static final int SMALLEST_LOG = 8;

  private SizeClasses() {}

  static int count() {
    return indexOf(LARGEST) + 1;
  }

  /**
   * The class of the smallest block that holds {@code byteSize}, which is at most {@link #LARGEST}.
   */
  static int indexOf(long byteSize) {
    if (byteSize <= SMALLEST) {
      return 0;
    }
    long last = byteSize - 1;
    int log = 63 - Long.numberOfLeadingZeros(last);
    int quarter = (int) (last >>> (log - 2)) & 3;
    return 1 + (log - SMALLEST_LOG) * 4 + quarter;
  }

  /** The size of a class's blocks. */
  static long byteSize(int index) {
    if (index == 0) {
      return SMALLEST;
    }
    int log = SMALLEST_LOG + (index - 1) / 4;
    int quarter = (index - 1) % 4;
    return (5L + quarter) << (log - 2);
  }
}

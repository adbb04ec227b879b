package io.nereid.trees.forest;

/**
 * Floats as integers of the same order, so that a comparison needs no branch: {@code a < b} if and
 * only if {@code of(a) < of(b)}. Both zeros have the same key, and NaN has the largest.
 */
final class FloatKeys {
  /** The key of every NaN. */
  static final int NAN = Integer.MAX_VALUE;

  private FloatKeys() {}

  /** The key of a value. */
  static int of(float value) {
    int bits = Float.floatToRawIntBits(value + 0.0f); // -0.0 becomes 0.0
    int key = bits ^ ((bits >> 31) & Integer.MAX_VALUE);
    return Float.isNaN(value) ? NAN : key;
  }

  /**
   * The bound of {@code value <= threshold}: it holds if and only if the value's key is less.
   *
   * @param threshold values are floats, so that one between two of them is the lower one; NaN if it
   *     never holds
   */
  static int boundOfAtMost(double threshold) {
    if (Double.isNaN(threshold)) {
      return Integer.MIN_VALUE + 1; // its negative is a bound too
    }
    float nearest = (float) threshold;
    return of(nearest > threshold ? Math.nextDown(nearest) : nearest) + 1;
  }
}

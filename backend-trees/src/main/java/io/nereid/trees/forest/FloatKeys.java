package io.nereid.trees.forest;

/**
 * Floats as integers of the same order, so that a comparison needs no branch: {@code a < b} if and
 * only if {@code of(a) < of(b)}. Both zeros have the same key, and NaN has the largest.
 */
public final class FloatKeys {
  /** The key of every NaN. */
  public static final int NAN = Integer.MAX_VALUE;

  private FloatKeys() {}

  /** The key of a value. */
  public static int of(float value) {
    int bits = Float.floatToRawIntBits(value + 0.0f); // -0.0 becomes 0.0
    int key = bits ^ ((bits >> 31) & Integer.MAX_VALUE);
    return Float.isNaN(value) ? NAN : key;
  }

  /** The value of a key; NaN for {@link #NAN}. */
  static float value(int key) {
    return key == NAN ? Float.NaN : Float.intBitsToFloat(key ^ ((key >> 31) & Integer.MAX_VALUE));
  }

  /**
   * The bound of {@code value <= threshold}: it holds if and only if the value's key is less.
   *
   * @param threshold not NaN; values are floats, so that a threshold between two of them is the
   *     lower one
   */
  public static int boundOfAtMost(double threshold) {
    float nearest = (float) threshold;
    return of(nearest > threshold ? Math.nextDown(nearest) : nearest) + 1;
  }

  /**
   * The bound of {@code value < threshold}: it holds if and only if the value's key is less.
   *
   * @param threshold not NaN
   */
  public static int boundOfLess(double threshold) {
    float nearest = (float) threshold;
    return of(nearest < threshold ? Math.nextUp(nearest) : nearest);
  }
}

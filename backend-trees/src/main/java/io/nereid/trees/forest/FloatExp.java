package io.nereid.trees.forest;

/**
 * The exponential of a float as the C library of Linux computes it ({@code expf} of glibc since
 * 2.28), so that predictions have the same bits as those of libraries that call it. It is the
 * nearest float in all but a few of a thousand cases.
 *
 * <p>With {@code k} the nearest integer to {@code 32 x / ln 2} and {@code r} the rest, {@code e^x =
 * 2^(k/32) 2^(r/32)}; the first factor comes from a table, the second from a polynomial. All steps
 * are of doubles.
 */
final class FloatExp {
  private static final int STEPS = 32;
  private static final double STEPS_PER_LN2 = 0x1.71547652b82fep+0 * STEPS;

  /** The coefficients of {@code r^3}, {@code r^2} and {@code r}. */
  private static final double CUBIC = 0x1.c6af84b912394p-5 / STEPS / STEPS / STEPS;

  private static final double QUADRATIC = 0x1.ebfce50fac4f3p-3 / STEPS / STEPS;
  private static final double LINEAR = 0x1.62e42ff0c52d6p-1 / STEPS;

  /** Above it the exponential is infinite, and below its negative it is no float but 0. */
  private static final float LARGEST = 0x1.62e42ep6f;

  private static final float SMALLEST = -0x1.9fe368p6f;

  /** 2^(i/32). */
  private static final double[] POWERS = new double[STEPS];

  static {
    for (int i = 0; i < STEPS; i++) {
      POWERS[i] = StrictMath.pow(2, (double) i / STEPS);
    }
  }

  private FloatExp() {}

  static float exp(float x) {
    if (!(x <= LARGEST)) {
      return Float.isNaN(x) ? x : Float.POSITIVE_INFINITY;
    }
    if (x < SMALLEST) {
      return 0;
    }
    double z = STEPS_PER_LN2 * x;
    double k = Math.rint(z);
    double r = z - k;
    int steps = (int) k;
    // 2^(steps / 32): the exponent of a double has room for all floats
    double scale =
        Double.longBitsToDouble(
            Double.doubleToRawLongBits(POWERS[steps & (STEPS - 1)]) + ((long) (steps >> 5) << 52));
    double y = (CUBIC * r + QUADRATIC) * (r * r) + (LINEAR * r + 1);
    return (float) (y * scale);
  }
}

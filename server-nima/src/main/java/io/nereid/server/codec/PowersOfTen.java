package io.nereid.server.codec;

/**
 * A table of the leading 128 bits, truncated, of the powers of ten in the range of doubles. For the
 * entry {@code t} of {@code n}, {@code 10^n} is in {@code [t, t + 1) * 2^(binaryExponent(n) -
 * 127)}.
 *
 * <p>It is calculated with 256 bits, of which the steps from one power to the next leave 240
 * correct. That takes 1 ms of a start; exact arithmetic would take 10.
 */
public final class PowersOfTen {
  public static final int MIN = -342;
  static final int MAX = 324;

  /** From 0 to this power the 128 bits are exact. */
  static final int MAX_EXACT = 55;

  private static final int LIMBS = 8;
  private static final long[] HIGH = new long[MAX - MIN + 1];
  private static final long[] LOW = new long[MAX - MIN + 1];

  static {
    int[] power = one();
    put(0, power);
    for (int n = 1; n <= MAX; n++) {
      multiplyByTen(power);
      put(n, power);
    }
    power = one();
    for (int n = -1; n >= MIN; n--) {
      divideByTen(power);
      put(n, power);
    }
  }

  private PowersOfTen() {}

  /** The upper 64 of the 128 bits, unsigned; the highest is set. */
  public static long high(int n) {
    return HIGH[n - MIN];
  }

  public static long low(int n) {
    return LOW[n - MIN];
  }

  /** The exponent of the greatest power of two that is at most {@code 10^n}. */
  public static int binaryExponent(int n) {
    return (int) ((n * 1_741_647L) >> 19);
  }

  /** The bits of 1, the highest first and set, as those of every power. */
  private static int[] one() {
    var limbs = new int[LIMBS];
    limbs[0] = 1 << 31;
    return limbs;
  }

  private static void put(int n, int[] limbs) {
    HIGH[n - MIN] = (long) limbs[0] << 32 | Integer.toUnsignedLong(limbs[1]);
    LOW[n - MIN] = (long) limbs[2] << 32 | Integer.toUnsignedLong(limbs[3]);
  }

  private static void multiplyByTen(int[] limbs) {
    long carry = 0;
    for (int i = LIMBS - 1; i >= 0; i--) {
      long product = Integer.toUnsignedLong(limbs[i]) * 10 + carry;
      limbs[i] = (int) product;
      carry = product >>> 32;
    }
    int shift = Long.SIZE - Long.numberOfLeadingZeros(carry);
    for (int i = 0; i < LIMBS; i++) {
      long shifted = carry << 32 | Integer.toUnsignedLong(limbs[i]);
      carry = limbs[i];
      limbs[i] = (int) (shifted >>> shift);
    }
  }

  private static void divideByTen(int[] limbs) {
    long rest = 0;
    for (int i = 0; i < LIMBS; i++) {
      long dividend = rest << 32 | Integer.toUnsignedLong(limbs[i]);
      limbs[i] = (int) (dividend / 10);
      rest = dividend % 10;
    }
    int shift = Integer.numberOfLeadingZeros(limbs[0]);
    for (int i = 0; i < LIMBS; i++) {
      int below = i + 1 < LIMBS ? limbs[i + 1] : 0;
      limbs[i] = limbs[i] << shift | below >>> (Integer.SIZE - shift);
    }
  }
}

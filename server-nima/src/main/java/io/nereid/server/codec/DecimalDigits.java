package io.nereid.server.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** A writer of decimal integers: short ones two digits at a time, others eight. */
public final class DecimalDigits {
  /** The greatest length: a sign and 19 digits, or 20 digits. */
  public static final int MAX_LONG = 20;

  /** With fewer digits pairs are faster. */
  private static final int MIN_WORD = 4;

  /** The least value that a word of eight digits has no room for. */
  private static final long WORD = 100_000_000;

  private static final long ZEROS = 0x3030_3030_3030_3030L;
  private static final VarHandle WORDS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final byte[] PAIRS = new byte[200];
  private static final long[] POWERS = new long[19];

  static {
    for (int i = 0; i < 100; i++) {
      PAIRS[2 * i] = (byte) ('0' + i / 10);
      PAIRS[2 * i + 1] = (byte) ('0' + i % 10);
    }
    long power = 1;
    for (int i = 0; i < POWERS.length; i++, power *= 10) {
      POWERS[i] = power;
    }
  }

  private DecimalDigits() {}

  /** The number of digits of a value from 0 to 2^63 - 1; 1 for 0. */
  static int count(long value) {
    int bits = Long.SIZE - Long.numberOfLeadingZeros(value | 1);
    int estimate = (bits * 1233) >>> 12; // times log10(2); exact or 1 too small
    return estimate < POWERS.length && value >= POWERS[estimate]
        ? estimate + 1
        : Math.max(1, estimate);
  }

  /** Writes exactly {@code count} digits of a value that has no more. */
  static int putDigits(byte[] target, int at, long value, int count) {
    if (count < MIN_WORD || at > target.length - count - Long.BYTES) {
      return putPairs(target, at, value, count);
    }
    int first = at;
    long left = value;
    if (count > Long.BYTES) {
      long upper = value / WORD;
      left = value - upper * WORD;
      first = putDigits(target, at, upper, count - Long.BYTES);
    }
    int unused = Math.max(0, Long.BYTES - count);
    WORDS.set(target, first, eight((int) left) >>> (unused * Byte.SIZE));
    return at + count;
  }

  /** The eight digits of a value below {@link #WORD}, the first one in the lowest byte. */
  private static long eight(int value) {
    // Each step halves the groups of digits: eight, four, two, one. The products are quotients.
    int upper = value / 10_000;
    long fours = upper | (long) (value - upper * 10_000) << 32;
    long hundreds = ((fours * 10_486) >>> 20) & 0x7f_0000_007fL;
    long twos = hundreds | ((fours - 100 * hundreds) << 16);
    long tens = ((twos * 103) >>> 10) & 0x000f_000f_000f_000fL;
    return (tens | ((twos - 10 * tens) << 8)) + ZEROS;
  }

  private static int putPairs(byte[] target, int at, long value, int count) {
    int next = at + count;
    long left = value;
    while (left > Integer.MAX_VALUE) {
      long quotient = left / 100;
      next -= 2;
      putPair(target, next, (int) (left - quotient * 100));
      left = quotient;
    }
    int small = (int) left;
    while (next - at >= 2) {
      int quotient = small / 100;
      next -= 2;
      putPair(target, next, small - quotient * 100);
      small = quotient;
    }
    if (next > at) {
      target[at] = (byte) ('0' + small);
    }
    return at + count;
  }

  private static void putPair(byte[] target, int at, int pair) {
    target[at] = PAIRS[2 * pair];
    target[at + 1] = PAIRS[2 * pair + 1];
  }

  public static int putLong(byte[] target, int at, long value) {
    if (value >= 0) {
      return putDigits(target, at, value, count(value));
    }
    target[at] = '-';
    return putUnsignedLong(target, at + 1, -value); // 2^63 for Long.MIN_VALUE
  }

  public static int putUnsignedLong(byte[] target, int at, long value) {
    if (value >= 0) {
      return putDigits(target, at, value, count(value));
    }
    long tens = Long.divideUnsigned(value, 10);
    int next = putDigits(target, at, tens, count(tens));
    target[next] = (byte) ('0' + (value - tens * 10));
    return next + 1;
  }

  /**
   * Writes {@code digits * 10^power}: from 1e-6 to below 1e21 in plain notation with a fraction of
   * at least one digit, else with an exponent.
   *
   * @param digits not negative
   */
  static int putDecimal(byte[] target, int at, long digits, int power) {
    long shortest = digits;
    int exponent = power;
    while (shortest >= 10) {
      long tenth = shortest / 10;
      if (tenth * 10 != shortest) {
        break;
      }
      shortest = tenth;
      exponent++;
    }
    int count = count(shortest);
    int point = count + exponent; // the number of digits before the point
    if (point <= -6 || point > 21) {
      return putScientific(target, at, shortest, count, point - 1);
    }
    if (point <= 0) {
      int next = putZeros(target, at, 1);
      target[next] = '.';
      next = putZeros(target, next + 1, -point);
      return putDigits(target, next, shortest, count);
    }
    if (exponent >= 0) {
      int next = putZeros(target, putDigits(target, at, shortest, count), exponent);
      target[next] = '.';
      return putZeros(target, next + 1, 1);
    }
    putDigits(target, at + 1, shortest, count);
    for (int i = 0; i < point; i++) {
      target[at + i] = target[at + i + 1]; // makes room for the point
    }
    target[at + point] = '.';
    return at + count + 1;
  }

  private static int putScientific(byte[] target, int at, long digits, int count, int exponent) {
    int next = putDigits(target, at + 1, digits, count);
    target[at] = target[at + 1];
    if (count == 1) {
      next--;
    } else {
      target[at + 1] = '.';
    }
    target[next] = 'e';
    return putLong(target, next + 1, exponent);
  }

  private static int putZeros(byte[] target, int at, int count) {
    for (int i = 0; i < count; i++) {
      target[at + i] = '0';
    }
    return at + count;
  }
}

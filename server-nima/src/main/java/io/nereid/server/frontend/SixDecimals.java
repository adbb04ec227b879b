package io.nereid.server.frontend;

import io.nereid.server.codec.ByteSink;
import java.math.BigDecimal;
import java.math.RoundingMode;

/** Numbers as C's {@code %f} writes them: six decimals of the exact value, halves to even. */
final class SixDecimals {
  private static final long MILLION = 1_000_000;
  private static final int FRACTION_BITS = 52;
  private static final int BIAS = 1023 + FRACTION_BITS;

  private SixDecimals() {}

  static void put(ByteSink sink, double value) {
    if (Double.isNaN(value)) {
      sink.putAscii("nan");
      return;
    }
    if (Double.doubleToRawLongBits(value) < 0) {
      sink.put('-');
    }
    double size = Math.abs(value);
    if (Double.isInfinite(size)) {
      sink.putAscii("inf");
    } else if (size < 1L << 62) {
      putShort(sink, size);
    } else {
      sink.putAscii(new BigDecimal(size).setScale(6, RoundingMode.HALF_EVEN).toPlainString());
    }
  }

  /** Writes a number below 2^62, which is {@code digits / 2^shift}. */
  private static void putShort(ByteSink sink, double size) {
    long bits = Double.doubleToRawLongBits(size);
    int exponent = (int) (bits >>> FRACTION_BITS);
    long fractionBits = bits & ((1L << FRACTION_BITS) - 1);
    long digits = exponent == 0 ? fractionBits : fractionBits | 1L << FRACTION_BITS;
    int shift = BIAS - Math.max(exponent, 1);
    long whole;
    long millionths = 0;
    if (shift <= 0) {
      whole = digits << -shift;
    } else {
      whole = shift < Long.SIZE ? digits >>> shift : 0;
      long rest = shift < Long.SIZE ? digits & ((1L << shift) - 1) : digits;
      millionths = rounded(rest, shift);
    }
    if (millionths == MILLION) {
      whole++;
      millionths = 0;
    }
    sink.putLong(whole);
    sink.put('.');
    for (long unit = MILLION / 10; unit > 0; unit /= 10) {
      sink.put((int) ('0' + millionths / unit % 10));
    }
  }

  /** {@code rest * 10^6 / 2^shift}, rounded; {@code rest} is below 2^53 and 2^shift. */
  private static long rounded(long rest, int shift) {
    long high = Math.multiplyHigh(rest, MILLION);
    long low = rest * MILLION;
    // The product has 73 bits at most. It is moved so that the point is in the middle of 128 bits.
    if (shift > Long.SIZE) {
      int more = shift - Long.SIZE;
      if (more > 10) {
        return 0; // less than half
      }
      boolean isMore = (low & ((1L << more) - 1)) != 0;
      low = low >>> more | high << (Long.SIZE - more);
      low |= isMore ? 1 : 0; // decides ties only
      high >>>= more;
    } else if (shift < Long.SIZE) {
      int less = Long.SIZE - shift;
      high = high << less | low >>> shift;
      low <<= less;
    }
    int half = Long.compareUnsigned(low, Long.MIN_VALUE);
    return half > 0 || (half == 0 && (high & 1) != 0) ? high + 1 : high;
  }
}

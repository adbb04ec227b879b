package io.nereid.server.frontend;

import io.nereid.server.codec.ByteSink;
import java.math.BigDecimal;
import java.math.RoundingMode;

/** Numbers as C's {@code %f} writes them: six decimals of the exact value, halves to even. */
final class SixDecimals {
  private static final long MILLION = 1_000_000;

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

  /** Writes a number below 2^62. */
  private static void putShort(ByteSink sink, double size) {
    long whole = (long) size;
    long millionths = rounded(size - whole);
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

  /** The millionths of a fraction. Where their double is a tie, what it lacks decides. */
  private static long rounded(double fraction) {
    double product = fraction * MILLION;
    double nearest = Math.rint(product);
    if (Math.abs(product - nearest) == 0.5) {
      double lacking = Math.fma(fraction, MILLION, -product);
      if (lacking != 0) {
        nearest = lacking > 0 ? Math.ceil(product) : Math.floor(product);
      }
    }
    return (long) nearest;
  }
}

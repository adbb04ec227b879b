package io.nereid.client;

/**
 * FP16 and BF16 to and from {@code float}, rounded to the nearest, ties to even. The JDK has this
 * for FP16 since version 20.
 */
final class HalfFloats {
  private static final int FP32_EXPONENT_BIAS = 127;
  private static final int FP16_EXPONENT_BIAS = 15;
  private static final int FP16_MAX_EXPONENT = 31;
  private static final int FP16_INFINITY = 0x7c00;
  private static final int FP32_MANTISSA_BITS = 23;
  private static final int FP16_MANTISSA_BITS = 10;
  private static final int FP32_INFINITY = 0x7f800000;

  private HalfFloats() {}

  static float ofFp16(short half) {
    int sign = (half & 0x8000) << 16;
    int exponent = (half >> FP16_MANTISSA_BITS) & FP16_MAX_EXPONENT;
    int mantissa = half & 0x3ff;
    if (exponent == FP16_MAX_EXPONENT) {
      return Float.intBitsToFloat(
          sign | FP32_INFINITY | (mantissa << (FP32_MANTISSA_BITS - FP16_MANTISSA_BITS)));
    }
    if (exponent == 0) {
      float value = mantissa * 0x1p-24f;
      return sign == 0 ? value : -value;
    }
    return Float.intBitsToFloat(
        sign
            | ((exponent - FP16_EXPONENT_BIAS + FP32_EXPONENT_BIAS) << FP32_MANTISSA_BITS)
            | (mantissa << (FP32_MANTISSA_BITS - FP16_MANTISSA_BITS)));
  }

  static short toFp16(float value) {
    int bits = Float.floatToRawIntBits(value);
    int sign = (bits >>> 16) & 0x8000;
    int absolute = bits & 0x7fffffff;
    if (absolute >= FP32_INFINITY) {
      int quiet = absolute > FP32_INFINITY ? 0x200 | ((absolute >> 13) & 0x3ff) : 0;
      return (short) (sign | FP16_INFINITY | quiet);
    }
    int exponent = (absolute >> FP32_MANTISSA_BITS) - FP32_EXPONENT_BIAS + FP16_EXPONENT_BIAS;
    if (exponent >= FP16_MAX_EXPONENT) {
      return (short) (sign | FP16_INFINITY);
    }
    if (exponent > 0) {
      int dropped = FP32_MANTISSA_BITS - FP16_MANTISSA_BITS;
      // a mantissa that rounds up to the next power of two carries into the exponent, as it should
      int rebased = absolute - ((FP32_EXPONENT_BIAS - FP16_EXPONENT_BIAS) << FP32_MANTISSA_BITS);
      return (short) (sign | roundedShift(rebased, dropped));
    }
    int dropped = FP32_MANTISSA_BITS - FP16_MANTISSA_BITS + 1 - exponent;
    int mantissa = (absolute & 0x7fffff) | 0x800000;
    return (short) (sign | (dropped > 24 ? 0 : roundedShift(mantissa, dropped)));
  }

  /** {@code value >> count}, rounded to the nearest, ties to even. */
  private static int roundedShift(int value, int count) {
    int shifted = value >> count;
    int rest = value & ((1 << count) - 1);
    int half = 1 << (count - 1);
    return rest > half || (rest == half && (shifted & 1) == 1) ? shifted + 1 : shifted;
  }

  static float ofBf16(short upper) {
    return Float.intBitsToFloat(upper << 16);
  }

  static short toBf16(float value) {
    int bits = Float.floatToRawIntBits(value);
    if (Float.isNaN(value)) {
      return (short) ((bits >>> 16) | 0x40);
    }
    int odd = (bits >>> 16) & 1;
    return (short) ((bits + 0x7fff + odd) >>> 16);
  }
}

package io.nereid.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Half precision, beside the JDK's own since version 20. */
class HalfFloatsTest {
  @Test
  void everyFp16IsReadAsTheJdkDoes() {
    for (int bits = 0; bits < 1 << 16; bits++) {
      float expected = Float.float16ToFloat((short) bits);
      // any NaN is as good as another
      assertThat(Float.floatToIntBits(HalfFloats.ofFp16((short) bits)))
          .as("bits %x", bits)
          .isEqualTo(Float.floatToIntBits(expected));
    }
  }

  @Test
  void everyFp16SurvivesTheWayThere() {
    for (int bits = 0; bits < 1 << 16; bits++) {
      short half = (short) bits;
      assertFp16(HalfFloats.ofFp16(half));
    }
  }

  @Test
  void floatsBetweenTwoFp16AreRoundedAsTheJdkDoes() {
    for (int bits = 0; bits < 0x7c00; bits++) {
      float lower = Float.float16ToFloat((short) bits);
      float upper = bits + 1 == 0x7c00 ? 65536 : Float.float16ToFloat((short) (bits + 1));
      float middle = (lower + upper) / 2;
      for (float value : new float[] {middle, Math.nextUp(middle), Math.nextDown(middle)}) {
        assertFp16(value);
        assertFp16(-value);
      }
    }
  }

  @Test
  void anyFloatIsRoundedAsTheJdkDoes() {
    new Random(1).ints(1_000_000).forEach(bits -> assertFp16(Float.intBitsToFloat(bits)));
  }

  private static void assertFp16(float value) {
    short actual = HalfFloats.toFp16(value);
    short expected = Float.floatToFloat16(value);
    if (actual != expected) {
      assertThat(actual).as("%s (%x)", value, Float.floatToRawIntBits(value)).isEqualTo(expected);
    }
  }

  @Test
  void bf16IsTheNearestWithTiesToEven() {
    new Random(2)
        .ints(1_000_000)
        .mapToObj(Float::intBitsToFloat)
        .filter(Float::isFinite)
        .forEach(value -> {
          int bits = Float.floatToRawIntBits(value);
          float lower = Float.intBitsToFloat(bits & 0xffff0000);
          float upper = Float.intBitsToFloat((bits & 0xffff0000) + 0x10000);
          double below = Math.abs((double) value - lower);
          double above =
              Math.abs(
                  (Float.isInfinite(upper) ? 0x1p128 * Math.signum(value) : upper)
                      - (double) value);
          boolean lowerIsEven = (bits >>> 16 & 1) == 0;
          float expected = below < above || (below == above && lowerIsEven) ? lower : upper;

          assertThat(HalfFloats.ofBf16(HalfFloats.toBf16(value))).isEqualTo(expected);
        });
  }

  @Test
  void bf16KeepsWhatIsNoNumber() {
    assertThat(HalfFloats.ofBf16(HalfFloats.toBf16(Float.intBitsToFloat(0x7f800001)))).isNaN();
    assertThat(HalfFloats.ofBf16(HalfFloats.toBf16(Float.intBitsToFloat(0xffffffff)))).isNaN();
    assertThat(HalfFloats.ofBf16(HalfFloats.toBf16(Float.NEGATIVE_INFINITY)))
        .isEqualTo(Float.NEGATIVE_INFINITY);
  }
}

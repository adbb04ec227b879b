package io.nereid.server.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FloatDigitsTest {
  private final byte[] target = new byte[FloatDigits.MAX_LENGTH];

  private String write(double value) {
    return new String(target, 0, FloatDigits.put(target, 0, value), StandardCharsets.US_ASCII);
  }

  private String write(float value) {
    return new String(target, 0, FloatDigits.put(target, 0, value), StandardCharsets.US_ASCII);
  }

  @ParameterizedTest
  @CsvSource({
    "0,0.0", "-0.0,-0.0",
    "1,1.0", "-1,-1.0",
    "100,100.0", "0.1,0.1",
    "1.5e-7,1.5e-7", "1e-6,0.000001",
    "0.00012,0.00012", "9.99e-7,9.99e-7",
    "1e20,100000000000000000000.0", "1e21,1e21",
    "1e30,1e30", "-2.5e-10,-2.5e-10",
    "123.456,123.456", "4.9e-324,5e-324",
    "1.7976931348623157e308,1.7976931348623157e308", "9007199254740993,9007199254740992.0",
    "NaN,NaN", "Infinity,Infinity",
    "-Infinity,-Infinity", "16777216,16777216.0"
  })
  void writesDoubles(double value, String written) {
    assertThat(write(value)).isEqualTo(written);
  }

  @ParameterizedTest
  @CsvSource({
    "0.1,0.1", "1,1.0", "3.4028235e38,3.4028235e38", "1.4e-45,1e-45", "1e10,10000000000.0",
    "16777216,16777216.0", "1e-6,0.000001", "33554432,33554432.0", "NaN,NaN", "-Infinity,-Infinity"
  })
  void writesFloatsAsFloats(float value, String written) {
    assertThat(write(value)).isEqualTo(written);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void writesTheShortestDigitsThatReadBack(long seed) {
    var random = new SplittableRandom(seed);
    for (int i = 0; i < 50_000; i++) {
      float asFloat = Float.intBitsToFloat(random.nextInt());
      if (Float.isFinite(asFloat)) {
        String written = write(asFloat);
        assertThat(Float.parseFloat(written)).isEqualTo(asFloat);
        assertAsShort(written, Float.toString(asFloat));
      }
      double value =
          i % 2 == 0 ? Double.longBitsToDouble(random.nextLong()) : random.nextInt() / 1000.0;
      if (Double.isFinite(value)) {
        String written = write(value);
        assertThat(Double.parseDouble(written)).isEqualTo(value);
        assertAsShort(written, Double.toString(value));
      }
    }
  }

  /** Checks that the digits are shorter than the JDK's, or equal. */
  private static void assertAsShort(String written, String jdk) {
    BigDecimal ours = new BigDecimal(written).stripTrailingZeros();
    BigDecimal theirs = new BigDecimal(jdk).stripTrailingZeros();
    assertThat(ours.precision()).as(written).isLessThanOrEqualTo(theirs.precision());
    if (ours.precision() == theirs.precision()) {
      assertThat(ours).as(written).isEqualByComparingTo(theirs);
    }
  }

  @ParameterizedTest
  @ValueSource(
      longs = {
        0,
        1,
        9,
        10,
        99,
        100,
        101,
        999_999_999,
        2_147_483_647,
        2_147_483_648L,
        1_000_000_000_000_000_000L,
        9_223_372_036_854_775_807L,
        999_999_999_999_999_999L,
        -1,
        -10,
        -9_223_372_036_854_775_808L
      })
  void writesIntegers(long value) {
    String signed =
        new String(target, 0, DecimalDigits.putLong(target, 0, value), StandardCharsets.US_ASCII);
    assertThat(signed).isEqualTo(Long.toString(value));
    String unsigned =
        new String(
            target, 0, DecimalDigits.putUnsignedLong(target, 0, value), StandardCharsets.US_ASCII);
    assertThat(unsigned).isEqualTo(Long.toUnsignedString(value));
  }
}

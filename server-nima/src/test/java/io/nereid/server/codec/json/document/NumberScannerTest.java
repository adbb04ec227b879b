package io.nereid.server.codec.json.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NumberScannerTest {
  private static void assertReadLikeTheJdk(String written) {
    try (Arena arena = Arena.ofConfined()) {
      var text = new JsonBytes(arena.allocateFrom(written).asSlice(0, written.length()));
      var scanner = new NumberScanner(text);
      double expected = Double.parseDouble(written);

      assertThat(scanner.nextDouble(0)).as(written).isEqualTo(expected);
      assertThat(scanner.end()).as(written).isEqualTo(written.length());
      assertThat(scanner.nextFloat(0)).as(written).isEqualTo((float) expected);
      assertThat(scanner.end()).as(written).isEqualTo(written.length());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0", "-0",
        "0.0", "-0.0",
        "0e5", "1",
        "-1", "1234567",
        "12345678", "0.12345678",
        "1e22", "1e23",
        "8.5e22", "1e-22",
        "1e-23", "1e308",
        "1e-400", "1.7976931348623157e308",
        "4.9e-324", "2.4703282292062327e-324",
        "2.4703282292062328e-324", "2.2250738585072011e-308",
        "2.2250738585072012e-308", "2.2250738585072014e-308",
        "9007199254740991", "9007199254740992",
        "9007199254740993", "9007199254740992.5",
        "72057594037927933", "7.2057594037927933e16",
        "9223372036854775807", "18446744073709551616",
        "16777217", "16777217.0000000001",
        "16777216.9999999999", "1.000000059604644775390625",
        "1.00000005960464477539062500000000001", "1.0000001788139342",
        "1.00000017881393432617187499", "340282356779733661637539395458142568447",
        "3.4028235677973366e38", "1e39",
        "7.0064923216240853e-46", "7.0064923216240854e-46",
        "1.1754943508222875e-38", "0.00000000000000000000000000000000000012345678901234567",
        "123456789012345678901234567890", "0.1",
        "0.30000000000000004", "179769313486231580793e289"
      })
  void readsDifficultNumbersLikeTheJdk(String written) {
    assertReadLikeTheJdk(written);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 10, 17, 18, 19, 20, 300, 800, 801, 1500})
  void readsAnyNumberOfDigitsLikeTheJdk(int count) {
    assertReadLikeTheJdk("0." + "0".repeat(20) + "123456789".repeat(count));
    assertReadLikeTheJdk("9".repeat(Math.min(308, count)) + ".5");
    assertReadLikeTheJdk("1" + "0".repeat(count) + "e-" + count);
    assertReadLikeTheJdk("1.00000005960464477539062500" + "0".repeat(count) + "1");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void readsRandomNumbersLikeTheJdk(long seed) {
    var random = new SplittableRandom(seed);
    for (int i = 0; i < 40_000; i++) {
      float below = Float.intBitsToFloat(random.nextInt(0x7f7fffff));
      String written =
          switch (i % 7) {
            case 0 -> finite(Double.longBitsToDouble(random.nextLong()));
            case 1 -> finite(Float.intBitsToFloat(random.nextInt()));
            case 2 -> Double.toString(random.nextDouble(-1, 1));
            case 3 -> String.format(Locale.ROOT, "%.5f", random.nextDouble(-100, 100));
            case 4 -> random.nextLong() + "e" + random.nextInt(-340, 300);
            // halfway between two floats
            case 5 ->
                new BigDecimal(((double) below + (double) Math.nextUp(below)) / 2)
                    .toString()
                    .replace("E", "e");
            default -> Double.toString((float) random.nextDouble());
          };
      assertReadLikeTheJdk(written);
    }
  }

  private static String finite(double value) {
    return Double.isFinite(value) ? Double.toString(value) : "1";
  }
}

package io.nereid.trees.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DecimalFloatsTest {
  private static float parse(String text) {
    return DecimalFloats.parse(text.toCharArray(), text.length());
  }

  @Test
  void whatIsToldQuicklyIsTheNearestFloat() {
    var random = new Random(1);
    int quick = 0;
    for (int i = 0; i < 300_000; i++) {
      float value = Float.intBitsToFloat(random.nextInt());
      if (Float.isNaN(value) || Float.isInfinite(value)) {
        continue;
      }
      String text =
          switch (random.nextInt(3)) {
            case 0 -> Float.toString(value);
            case 1 -> String.format(Locale.ROOT, "%.8e", value);
            default -> String.format(Locale.ROOT, "%.12f", random.nextGaussian());
          };
      float parsed = parse(text);
      if (!Float.isNaN(parsed)) {
        quick++;
        assertThat(Float.floatToRawIntBits(parsed))
            .as(text)
            .isEqualTo(Float.floatToRawIntBits(Float.parseFloat(text)));
      }
    }
    assertThat(quick).isGreaterThan(100_000);
  }

  /** Halfway between two floats, and a little beside it. */
  @ParameterizedTest
  @ValueSource(strings = {"16777217", "16777219", "1.00000005960464477", "8388608.5", "8388609.5"})
  void whatLiesHalfwayIsNotTold(String text) {
    assertThat(parse(text)).isNaN();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"-", ".", "e5", "1e", "1e+", "1.2.3", "0x10", "1f", "1e1234", "NaN", "--1"})
  void whatIsNoPlainNumberIsNotTold(String text) {
    assertThat(parse(text)).isNaN();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-0", "5E-1", "-2.5E+3", "1e0", "12", ".5", "7."})
  void plainNumbersAreTold(String text) {
    assertThat(Float.floatToRawIntBits(parse(text)))
        .isEqualTo(Float.floatToRawIntBits(Float.parseFloat(text)));
  }
}

package io.nereid.server.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** How integers are written. */
class DecimalDigitsTest {
  private static final int RANDOM = 100_000;

  /** Values of every length, and those beside which the length changes. */
  private static LongStream values() {
    var random = new Random(1);
    LongStream any = LongStream.generate(() -> random.nextLong() >> random.nextInt(Long.SIZE));
    LongStream powers =
        LongStream.iterate(1, power -> power <= Long.MAX_VALUE / 10, power -> 10 * power)
            .flatMap(power -> LongStream.of(power - 1, power, power + 1, -power));
    LongStream ends = LongStream.of(Long.MIN_VALUE, Long.MAX_VALUE, 1_000_000_000_000_000_000L);
    return LongStream.concat(any.limit(RANDOM), LongStream.concat(powers, ends));
  }

  private static String text(byte[] bytes, int from, int to) {
    return new String(bytes, from, to - from, StandardCharsets.US_ASCII);
  }

  @Test
  void integersAreWrittenAsTheJdkWritesThem() {
    byte[] target = new byte[64];
    values()
        .forEach(value -> {
          int end = DecimalDigits.putLong(target, 3, value);
          assertThat(text(target, 3, end)).isEqualTo(Long.toString(value));
        });
  }

  @Test
  void integersFillTheEndOfAnArray() {
    values()
        .forEach(value -> {
          String expected = Long.toString(value);
          byte[] target = new byte[expected.length()];
          assertThat(DecimalDigits.putLong(target, 0, value)).isEqualTo(target.length);
          assertThat(text(target, 0, target.length)).isEqualTo(expected);
        });
  }
}

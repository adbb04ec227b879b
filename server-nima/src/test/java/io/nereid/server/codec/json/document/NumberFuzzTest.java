package io.nereid.server.codec.json.document;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.testing.FuzzedMemory;
import io.nereid.error.InferenceException;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.regex.Pattern;

/** Any bytes as a number, and {@link Double#parseDouble} as the judge of its value. */
class NumberFuzzTest {
  private static final Pattern NUMBER =
      Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?");
  private static final Pattern NAME = Pattern.compile("-?(NaN|Inf(inity)?)");
  private static final Pattern INTEGER = Pattern.compile("-?[0-9]+");
  private static final BigInteger TWO_TO_64 = BigInteger.ONE.shiftLeft(Long.SIZE);
  private static final BigInteger LEAST = BigInteger.valueOf(Long.MIN_VALUE);

  @FuzzTest
  void isReadAsTheJdkReadsIt(byte[] input) {
    byte[] inArray = Arrays.copyOf(input, input.length + 1);
    inArray[input.length] = ']'; // numbers in arrays take the fast path
    FuzzedMemory.run(
        input,
        memory -> {
          try (Lease alone = memory.copyOf(input);
              Lease array = memory.copyOf(inArray)) {
            check(new JsonBytes(alone.segment()), input);
            check(new JsonBytes(array.segment()), input);
          }
        });
  }

  private static void check(JsonBytes text, byte[] number) {
    String written = new String(number, US_ASCII);
    try {
      Double value = read(text, number.length, true);
      assertThat(named(written) || NUMBER.matcher(written).matches()).as(written).isTrue();
      assertThat(read(text, number.length, false)).isEqualTo(value);
      Double expected = named(written) ? named(text) : Double.parseDouble(written);
      assertThat(value).isEqualTo(expected);
      Float narrowed = new NumberScanner(text).nextFloat(0);
      assertThat(narrowed).isEqualTo(Float.valueOf(expected.floatValue()));
      checkInteger(new NumberScanner(text), written);
    } catch (InferenceException rejected) {
      boolean infinite =
          NUMBER.matcher(written).matches() && Double.isInfinite(Double.parseDouble(written));
      assertThat(infinite || !NUMBER.matcher(written).matches()).isTrue();
    }
  }

  /** Reads the number at 0, which must end at {@code end}. */
  private static Double read(JsonBytes text, int end, boolean checking) {
    if (checking) {
      requireEnd(JsonNumbers.check(text, 0), end);
    }
    var scanner = new NumberScanner(text, checking);
    double value = scanner.nextDouble(0);
    requireEnd(scanner.end(), end);
    return value;
  }

  private static void requireEnd(int at, int end) {
    if (at != end) {
      throw JsonBytes.syntaxError("Something else follows.", at);
    }
  }

  private static boolean named(String written) {
    return NAME.matcher(written).matches();
  }

  private static double named(JsonBytes text) {
    boolean negative = text.at(0) == '-';
    if (text.at(negative ? 1 : 0) == 'N') {
      return Double.NaN;
    }
    return negative ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
  }

  private static void checkInteger(NumberScanner scanner, String written) {
    boolean integer = scanner.nextInteger(0);
    if (!INTEGER.matcher(written).matches()) {
      assertThat(integer).isFalse();
      return;
    }
    var value = new BigInteger(written);
    assertThat(integer).isEqualTo(value.compareTo(LEAST) >= 0 && value.compareTo(TWO_TO_64) < 0);
    if (integer) {
      assertThat(scanner.integer()).isEqualTo(value.longValue());
      assertThat(scanner.isNegative()).isEqualTo(value.signum() < 0);
    }
  }
}

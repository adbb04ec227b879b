package io.nereid.tck.support;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonTest {
  private static Object parse(String json) {
    return Json.parse(json.getBytes(UTF_8));
  }

  private static void assertWrong(String json, Function<Object, Object> read, String text) {
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> read.apply(parse(json)))
        .withMessage(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"5\"              | expected a number, got the string '5'",
        "true               | expected a number, got true",
        "null               | expected a number, got null",
        "1.5                | expected an integer, got 1.5",
        "NaN                | expected an integer, got NaN",
        "9223372036854775808 | expected an integer of 64 bits, got 9223372036854775808"
      })
  void whatIsNoIntegerIsSaid(String json, String text) {
    assertWrong(json, Json::int64, text);
  }

  @Test
  void anIntegerMayHaveZerosBehindThePoint() {
    assertThat(Json.int64(parse("5.0"))).isEqualTo(5);
    assertThat(Json.integer(parse("18446744073709551615"))).hasToString("18446744073709551615");
  }

  @Test
  void aMemberOfAnotherTypeIsNamed() {
    assertWrong("{\"a\":5}", value -> Json.string(value, "a"), "expected a string as 'a', got 5");
    assertWrong("{\"a\":{}}", value -> Json.list(value, "a"), "expected a list as 'a', got {}");
    assertWrong("[]", Json::object, "expected an object, got []");
  }
}

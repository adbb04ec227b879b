package io.nereid.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TypedOptionsTest {
  private static final TypedOptions NONE = TypedOptions.of("backend 'b'", Map.of());

  private enum Precision {
    FP32,
    MIXED_FP16
  }

  private static TypedOptions with(String value) {
    return TypedOptions.of("backend 'b'", Map.of("k", value));
  }

  private static void assertRefused(String value, Consumer<TypedOptions> read, String expectation) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> read.accept(with(value)))
        .withMessage("backend 'b': option 'k' must be %s, got '%s'".formatted(expectation, value))
        .returns(StatusCode.INVALID_ARGUMENT, InferenceException::code);
  }

  @Test
  void anOptionThatIsNotSetHasTheValueOfTheCaller() {
    assertThat(NONE.text("k")).isEmpty();
    assertThat(NONE.text("k", "x")).isEqualTo("x");
    assertThat(NONE.integer("k", 3)).isEqualTo(3);
    assertThat(NONE.integer("k", 0, 1, 2)).isZero();
    assertThat(NONE.integer("k", 1L << 40)).isEqualTo(1L << 40);
    assertThat(NONE.flag("k", true)).isTrue();
    assertThat(NONE.byteSize("k", 5)).isEqualTo(5);
    assertThat(NONE.duration("k", Duration.ofMillis(1))).isEqualTo(Duration.ofMillis(1));
    assertThat(NONE.choice("k", Precision.FP32)).isEqualTo(Precision.FP32);
    assertThat(NONE.list("k")).isEmpty();
    assertThat(NONE.path("k")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, Integer.MAX_VALUE})
  void anIntegerHasTheRangeOfAnInt(int value) {
    assertThat(with(Integer.toString(value)).integer("k", 5)).isEqualTo(value);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "four", "4.0", " 4", "0x4", "2147483648", "-2147483649"})
  void noIntegerIsRefused(String value) {
    assertRefused(value, options -> options.integer("k", 5), "an integer");
  }

  @Test
  void anIntegerOfARangeIncludesItsEnds() {
    assertThat(with("1").integer("k", 5, 1, 8)).isEqualTo(1);
    assertThat(with("8").integer("k", 5, 1, 8)).isEqualTo(8);
    assertRefused("0", options -> options.integer("k", 5, 1, 8), "an integer from 1 to 8");
    assertRefused("9", options -> options.integer("k", 5, 1, 8), "an integer from 1 to 8");
  }

  @Test
  void aLongIntegerHasTheRangeOfALong() {
    assertThat(with("9223372036854775807").integer("k", 0L)).isEqualTo(Long.MAX_VALUE);
    assertRefused("9223372036854775808", options -> options.integer("k", 0L), "an integer");
  }

  @ParameterizedTest
  @CsvSource({"true,true", "ON,true", "1,true", "False,false", "off,false", "0,false"})
  void aFlagIsTrueOrFalse(String value, boolean expected) {
    assertThat(with(value).flag("k", !expected)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "yes", "2", "tru"})
  void noFlagIsRefused(String value) {
    assertRefused(value, options -> options.flag("k", true), "true or false");
  }

  @ParameterizedTest
  @CsvSource({
    "0,0",
    "4096,4096",
    "4096B,4096",
    "1K,1024",
    "3KiB,3072",
    "2Mi,2097152",
    "1GB,1073741824",
    "8388607T,9223370937343148032",
    "999999999999999999,999999999999999999"
  })
  void aSizeIsInBytesOrInPowersOf1024(String value, long bytes) {
    assertThat(with(value).byteSize("k", 7)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-1", "1 GB", "1.5G", "1k", "1P", "8388608T", "1000000000000000000"})
  void noSizeIsRefused(String value) {
    assertRefused(
        value, options -> options.byteSize("k", 7), "a number of bytes, such as 4096 or 256MiB");
  }

  @ParameterizedTest
  @CsvSource({
    "0ms,PT0S",
    "7ns,PT0.000000007S",
    "5us,PT0.000005S",
    "500ms,PT0.5S",
    "10s,PT10S",
    "3m,PT3M",
    "2h,PT2H"
  })
  void aDurationHasAUnit(String value, Duration expected) {
    assertThat(with(value).duration("k", Duration.ZERO)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "10", "-1s", "1.5s", "1 s", "1d", "999999999999999999h"})
  void noDurationIsRefused(String value) {
    assertRefused(
        value,
        options -> options.duration("k", Duration.ZERO),
        "a duration with a unit, such as 500ms or 10s");
  }

  @ParameterizedTest
  @ValueSource(strings = {"MIXED_FP16", "mixed-fp16", "Mixed_fp16"})
  void aChoiceIsAConstantOfAnEnum(String value) {
    assertThat(with(value).choice("k", Precision.FP32)).isEqualTo(Precision.MIXED_FP16);
  }

  @Test
  void noChoiceIsRefusedWithTheNamesOfAll() {
    assertRefused("fp8", options -> options.choice("k", Precision.FP32), "one of FP32, MIXED_FP16");
  }

  @Test
  void aListIsWhatIsBetweenSemicolons() {
    assertThat(with(" a ;;b c; ").list("k")).containsExactly("a", "b c");
  }

  @Test
  void aPathNeedNotExist() {
    assertThat(with("/none/file").path("k")).contains(Path.of("/none/file"));
    assertRefused("a\0b", options -> options.path("k"), "a path");
  }

  @Test
  void knowsTheKeysThatWereNotRead() {
    var options = TypedOptions.of("backend 'b'", Map.of("c", "1", "b", "1", "a", "1", "d", "x"));
    var _ = options.integer("a", 0);
    assertThatExceptionOfType(InferenceException.class).isThrownBy(() -> options.integer("d", 0));
    var _ = options.text("other");
    assertThat(options.unread()).containsExactly("b", "c");

    assertThat(options.all()).hasSize(4);
    assertThat(options.unread()).isEmpty();
  }

  @Test
  void aBackendSaysItselfWhatElseIsWrong() {
    assertThat(NONE.invalid("device", "gpu9", "the name of a device"))
        .hasMessage("backend 'b': option 'device' must be the name of a device, got 'gpu9'");
  }
}

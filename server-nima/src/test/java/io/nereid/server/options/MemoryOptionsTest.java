package io.nereid.server.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.memory.MemorySettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.ParameterException;

class MemoryOptionsTest {
  private static MemorySettings settings(String... options) {
    String[] arguments = new String[options.length + 1];
    arguments[0] = "--model-store=/a";
    System.arraycopy(options, 0, arguments, 1, options.length);
    return ParsedOptions.of(arguments).memory().settings(16_000);
  }

  @Test
  void tensorsHaveHalfOfTheMachineAndRequestsThreeQuartersOfThat() {
    assertThat(settings()).isEqualTo(new MemorySettings(8000, 6000, Long.MAX_VALUE));
  }

  @Test
  void requestsHaveThreeQuartersOfWhatAnOptionStates() {
    assertThat(settings("--max-tensor-memory=1000"))
        .isEqualTo(new MemorySettings(1000, 750, Long.MAX_VALUE));
  }

  @Test
  void eachLimitHasItsOption() {
    assertThat(
            settings(
                "--max-tensor-memory=1000", "--max-request-memory=500", "--max-client-memory=9"))
        .isEqualTo(new MemorySettings(1000, 500, 9));
  }

  @ParameterizedTest
  @ValueSource(strings = {"--max-tensor-memory", "--max-request-memory", "--max-client-memory"})
  void aLimitIsANumberOfBytesAboveZero(String option) {
    for (String value : new String[] {"0", "-1"}) {
      assertThatExceptionOfType(ParameterException.class)
          .isThrownBy(() -> settings(option + "=" + value))
          .withMessageContaining("expected a number of bytes above 0, got " + value);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "9223372036854775808,Provided option value is out of bound. Got 9223372036854775808",
    "64M,Invalid option value. Got 64M"
  })
  void otherTextsAreRejected(String value, String text) {
    assertThatExceptionOfType(ParameterException.class)
        .isThrownBy(() -> settings("--max-tensor-memory=" + value))
        .withMessageContaining(text);
  }
}

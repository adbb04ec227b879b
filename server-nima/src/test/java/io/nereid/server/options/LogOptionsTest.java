package io.nereid.server.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.server.telemetry.logging.LogFormat;
import io.nereid.server.telemetry.logging.LogSettings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.ParameterException;

/** Sources: Triton, help of its options; src/command_line_parser.cc. */
class LogOptionsTest {
  private static LogOptions parse(String... arguments) {
    List<String> all = new ArrayList<>(List.of("--model-store=/a"));
    all.addAll(List.of(arguments));
    return ParsedOptions.of(all.toArray(String[]::new)).log();
  }

  @Test
  void allButDetailsIsLoggedToStandardErrorByDefault() {
    assertThat(parse().settings())
        .isEqualTo(new LogSettings("", true, true, true, 0, LogFormat.DEFAULT));
    assertThat(parse().accessLog()).isEmpty();
  }

  @Test
  void eachOptionIsRead() {
    assertThat(
            parse(
                    "--log-file=/l",
                    "--log-info=false",
                    "--log-warning=false",
                    "--log-error=true",
                    "--log-verbose=2",
                    "--log-format=ISO8601")
                .settings())
        .isEqualTo(new LogSettings("/l", false, false, true, 2, LogFormat.ISO8601));
    assertThat(parse("--log-error=0", "--log-format", "default").settings())
        .isEqualTo(new LogSettings("", true, true, false, 0, LogFormat.DEFAULT));
    assertThat(parse("--log-format=json").settings().format()).isEqualTo(LogFormat.JSON);
    assertThat(parse("--access-log=-").accessLog()).hasValue("-");
  }

  @ParameterizedTest
  @ValueSource(strings = {"iso8601", "Default", "ISO", "JSON"})
  void aFormatHasOneSpelling(String format) {
    assertThatExceptionOfType(ParameterException.class)
        .isThrownBy(() -> parse("--log-format=" + format))
        .withMessageContaining("expected default, ISO8601 or json, got");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--log-info=2", "--log-warning=", "--log-error=no", "--log-verbose=much"})
  void aWrongValueIsRejected(String argument) {
    assertThatExceptionOfType(ParameterException.class)
        .isThrownBy(() -> parse(argument))
        .withMessageContaining(argument.substring(0, argument.indexOf('=')));
  }
}

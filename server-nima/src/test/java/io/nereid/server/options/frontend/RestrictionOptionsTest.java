package io.nereid.server.options.frontend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.server.options.ParsedOptions;
import io.nereid.server.security.ApiCategory;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.ParameterException;

class RestrictionOptionsTest {
  private static RestrictionOptions parse(String... arguments) {
    return ParsedOptions.of(
            Stream.concat(Stream.of("--model-store=/a"), Stream.of(arguments))
                .toArray(String[]::new))
        .restrictions();
  }

  @Test
  void nothingIsRestrictedByDefault() {
    assertThat(parse().http().isEmpty()).isTrue();
    assertThat(parse().grpc().isEmpty()).isTrue();
  }

  @Test
  void eachProtocolHasRestrictionsOfItsOwn() {
    var options =
        parse(
            "--http-restricted-api=model-repository,trace:admin=1",
            "--http-restricted-api",
            "logging:log=2",
            "--grpc-restricted-protocol=health:probe=3");

    assertThat(options.http().missing(ApiCategory.TRACE, _ -> Optional.empty())).hasValue("admin");
    assertThat(options.http().missing(ApiCategory.LOGGING, _ -> Optional.empty())).hasValue("log");
    assertThat(options.http().missing(ApiCategory.HEALTH, _ -> Optional.empty())).isEmpty();
    assertThat(options.grpc().missing(ApiCategory.HEALTH, _ -> Optional.empty()))
        .hasValue("triton-grpc-protocol-probe");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--http-restricted-api=x:k=v | unknown restricted api 'x'",
        "--grpc-restricted-protocol=x:k=v | unknown restricted protocol 'x'",
        "--grpc-restricted-protocol=console:k=v | unknown restricted protocol 'console'",
        "--grpc-restricted-protocol=health:k | option format is"
      })
  void rejectsAnInvalidGroup(String argument, String text) {
    assertThatExceptionOfType(ParameterException.class)
        .isThrownBy(() -> parse(argument))
        .withMessageContaining(text);
  }

  @Test
  void rejectsAnApiInTwoGroups() {
    assertThatExceptionOfType(ParameterException.class)
        .isThrownBy(
            () -> parse("--http-restricted-api=health:k=v", "--http-restricted-api=health:l=v"))
        .withMessage("restricted api 'health' can not be specified in multiple config groups");
  }
}

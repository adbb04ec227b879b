package io.nereid.server.options.frontend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.server.options.ParsedOptions;
import io.nereid.server.security.TlsSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.ParameterException;

/** Sources: Triton, help of its options; L0_secure_grpc. */
class TlsOptionsTest {
  private static String[] withRepository(String... arguments) {
    return Stream.concat(Stream.of("--model-store=/a"), Stream.of(arguments))
        .toArray(String[]::new);
  }

  private static TlsOptions parse(String... arguments) {
    return ParsedOptions.of(withRepository(arguments)).tls();
  }

  private static List<String> warnings(String... arguments) {
    return ParsedOptions.warnings(withRepository(arguments));
  }

  private static Optional<TlsSettings> settings(TlsOptions options, String listener) {
    return listener.equals("http") ? options.http() : options.grpc();
  }

  private static String[] files(String listener, String... more) {
    return Stream.concat(
            Stream.of("cert", "key")
                .map(file -> "--%s-server-%s=/%s".formatted(listener, file, file)),
            Stream.concat(
                Stream.of("--%s-root-cert=/roots".formatted(listener)),
                Stream.of(more).map(option -> option.formatted(listener))))
        .toArray(String[]::new);
  }

  @Test
  void thereIsNoTlsByDefault() {
    assertThat(parse().http()).isEmpty();
    assertThat(parse().grpc()).isEmpty();
    assertThat(parse().coversMetrics()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void clientsNeedNoCertificateUnlessTlsIsMutual(String listener) {
    assertThat(settings(parse(files(listener, "--%s-use-ssl=1")), listener))
        .hasValue(new TlsSettings(listener, Path.of("/cert"), Path.of("/key"), Optional.empty()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void mutualTlsNeedsNoOtherSwitch(String listener) {
    var mutual =
        new TlsSettings(
            listener, Path.of("/cert"), Path.of("/key"), Optional.of(Path.of("/roots")));

    assertThat(settings(parse(files(listener, "--%s-use-ssl-mutual=1")), listener))
        .hasValue(mutual);
    assertThat(
            settings(
                parse(files(listener, "--%s-use-ssl=false", "--%s-use-ssl-mutual=true")), listener))
        .hasValue(mutual);
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void filesAloneDoNotMeanTls(String listener) {
    assertThat(settings(parse(files(listener)), listener)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void filesWithoutEffectAreNamedInAWarning(String listener) {
    String ignored =
        "Warning: %1$s: certificates are ignored: there is no TLS without --%1$s-use-ssl=true"
            .formatted(listener);

    assertThat(warnings(files(listener))).containsExactly(ignored);
    assertThat(warnings("--%s-server-key=/key".formatted(listener))).containsExactly(ignored);
    assertThat(warnings(files(listener, "--%s-use-ssl=1")))
        .containsExactly(
            "Warning: %1$s: --%1$s-root-cert is ignored without --%1$s-use-ssl-mutual=true"
                .formatted(listener));
    assertThat(warnings(files(listener, "--%s-use-ssl-mutual=1"))).isEmpty();
    assertThat(warnings()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--grpc-use-ssl=1 | --grpc-use-ssl needs --grpc-server-cert",
        "--http-use-ssl=1 --http-server-cert=/c | --http-use-ssl needs --http-server-key",
        "--http-use-ssl-mutual=1 | --http-use-ssl-mutual needs --http-server-cert",
        "--grpc-use-ssl-mutual=1 --grpc-server-cert=/c --grpc-server-key=/k |"
            + " --grpc-use-ssl-mutual needs --grpc-root-cert",
        "--metrics-use-ssl=1 | --metrics-use-ssl needs --http-use-ssl, whose certificates it uses"
      })
  void rejectsTlsWithoutItsFiles(String arguments, String message) {
    assertThatExceptionOfType(ParameterException.class)
        .isThrownBy(() -> parse(arguments.split(" ")))
        .withMessage(message);
  }
}

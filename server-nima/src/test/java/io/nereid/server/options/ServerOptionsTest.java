package io.nereid.server.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.model.Readiness;
import io.nereid.engine.telemetry.ClientSettings;
import io.nereid.server.codec.ClientHeader;
import io.nereid.server.grpc.GrpcKeepAlive;
import io.nereid.server.telemetry.logging.LogSettings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine.ParameterException;

class ServerOptionsTest {
  private static ServerOptions parse(String... arguments) {
    return ParsedOptions.of(arguments);
  }

  @Test
  void aModelRepositoryThatIsGivenTwiceCountsOnce() {
    ServerOptions options =
        parse("--model-repository=/a", "--model-repository=/b", "--model-repository=/a");

    assertThat(options.models().repositories()).containsExactly("/a", "/b");
  }

  @Test
  void valuesFollowAnEqualsSignOrAreTheNextArgument() {
    ServerOptions joined = parse("--model-repository=/a", "--http-port=1", "--allow-grpc=false");
    ServerOptions apart =
        parse("--model-repository", "/a", "--http-port", "1", "--allow-grpc", "0");

    for (ServerOptions options : List.of(joined, apart)) {
      assertThat(options.models().repositories()).containsExactly("/a");
      assertThat(options.http().listener().port()).isEqualTo(1);
      assertThat(options.grpc().isAllowed()).isFalse();
    }
  }

  @Test
  void defaultsAreThoseOfTriton() {
    ServerOptions options = parse("--model-store=/a");

    assertThat(options.http().listener().port()).isEqualTo(8000);
    assertThat(options.grpc().listener().port()).isEqualTo(8001);
    assertThat(options.metricsListener().port()).isEqualTo(8002);
    assertThat(options.http().listener().address()).isEqualTo("0.0.0.0");
    assertThat(options.grpc().listener().address()).isEqualTo("0.0.0.0");
    assertThat(options.http().maxInputSize()).isEqualTo(64L << 20);
    assertThat(options.exitTimeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(options.schedulerJournal()).isEmpty();
    assertThat(options.log().settings()).isEqualTo(LogSettings.DEFAULT);
    assertThat(options.clientSettings()).isEqualTo(ClientSettings.SAFE);
  }

  @Test
  void thePropertyOfAnImageIsTheDefaultOfTheExitTimeout() {
    System.setProperty("nereid.exit-timeout-secs", "20");
    try {
      assertThat(parse("--model-store=/a").exitTimeout()).isEqualTo(Duration.ofSeconds(20));
      assertThat(parse("--model-store=/a", "--exit-timeout-secs=50").exitTimeout())
          .isEqualTo(Duration.ofSeconds(50));
    } finally {
      System.clearProperty("nereid.exit-timeout-secs");
    }
  }

  @Test
  void whatClientsMayChangeIsNoneSafeOrAll() {
    for (ClientSettings each : ClientSettings.values()) {
      for (String text : List.of(each.toString(), each.name())) {
        assertThat(parse("--model-store=/a", "--client-settings=" + text).clientSettings())
            .isEqualTo(each);
      }
    }
    assertThatExceptionOfType(ParameterException.class)
        .isThrownBy(() -> parse("--model-store=/a", "--client-settings=some"))
        .withMessageContaining("expected none, safe or all, got 'some'");
  }

  /** The options that take a boolean. */
  @SuppressWarnings("ImmutableEnumChecker")
  enum Flag {
    ALLOW_HTTP("--allow-http", options -> options.http().isAllowed()),
    ALLOW_GRPC("--allow-grpc", options -> options.grpc().isAllowed()),
    ALLOW_METRICS("--allow-metrics", options -> options.metrics().isAllowed()),
    ALLOW_CPU_METRICS("--allow-cpu-metrics", options -> options.metrics().content().cpu()),
    ALLOW_GPU_METRICS("--allow-gpu-metrics", options -> options.metrics().allowsGpu()),
    EXIT_ON_ERROR("--exit-on-error", options -> options.models().exitsOnError()),
    STRICT_READINESS(
        "--strict-readiness",
        options -> options.models().control().readiness() == Readiness.SERVING),
    NAMESPACING("--model-namespacing", options -> options.models().control().namespacing()),
    COUNTER_LATENCIES(
        "--metrics-config=counter_latencies",
        options -> options.metrics().content().counterLatencies()),
    SUMMARY_LATENCIES(
        "--metrics-config=summary_latencies", options -> options.metrics().latencies().summaries());

    private final String option;
    private final Predicate<ServerOptions> value;

    Flag(String option, Predicate<ServerOptions> value) {
      this.option = option;
      this.value = value;
    }
  }

  @ParameterizedTest
  @EnumSource
  void booleansHaveTritonsSpellingsInAnyLetterCase(Flag flag) {
    for (String text : List.of("true", "True", "TRUE", "tRuE", "on", "On", "ON", "1")) {
      assertThat(flag.value.test(parse("--model-store=/a", flag.option + "=" + text)))
          .as(text)
          .isTrue();
    }
    for (String text : List.of("false", "False", "FALSE", "off", "Off", "OFF", "0")) {
      assertThat(flag.value.test(parse("--model-store=/a", flag.option + "=" + text)))
          .as(text)
          .isFalse();
    }
    for (String text : List.of("", "yes", "no", "t", "2", "01", "-1", "true ", "truth")) {
      assertThatExceptionOfType(ParameterException.class)
          .isThrownBy(() -> parse("--model-store=/a", flag.option + "=" + text))
          .withMessageContaining("expected true")
          .withMessageContaining("got '" + text + "'");
    }
  }

  @ParameterizedTest
  @CsvSource({"0,0", "2,2", "true,1", "TRUE,1", "False,0"})
  void verbosityIsANumberOrABoolean(String text, int expected) {
    assertThat(parse("--model-store=/a", "--log-verbose=" + text).log().settings().verboseLevel())
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"ipv6:[::1],[::1]", "ipv4:127.0.0.1,127.0.0.1", "::,::", "localhost,localhost"})
  void anAddressMayHaveTritonsPrefix(String text, String address) {
    ServerOptions options =
        parse("--model-store=/a", "--http-address=" + text, "--grpc-address", text);

    assertThat(options.http().listener().address()).isEqualTo(address);
    assertThat(options.grpc().listener().address()).isEqualTo(address);
    assertThat(options.metricsListener().address()).isEqualTo(address);
  }

  @Test
  void theLargestInputMayHaveAnySizeAboveZero() {
    for (long size : new long[] {1, 1 << 20, Long.MAX_VALUE}) {
      assertThat(parse("--model-store=/a", "--http-max-input-size=" + size).http().maxInputSize())
          .isEqualTo(size);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0,Error: --http-max-input-size must be greater than 0.",
    "-1,Error: --http-max-input-size must be greater than 0.",
    "9223372036854775808,Provided option value is out of bound. Got 9223372036854775808",
    "many,Invalid option value. Got many",
    "1.5,Invalid option value. Got 1.5",
    "64M,Invalid option value. Got 64M"
  })
  void aLargestInputThatIsNotAboveZeroIsRejected(String size, String text) {
    assertThatExceptionOfType(ParameterException.class)
        .isThrownBy(() -> parse("--model-store=/a", "--http-max-input-size=" + size))
        .withMessageContaining(text);
  }

  @Test
  void keepAliveOfGrpcIsStatedInMilliseconds() {
    assertThat(parse("--model-store=/a").grpc().settings(ClientHeader.NONE).keepAlive())
        .isEqualTo(
            new GrpcKeepAlive(
                Duration.ofHours(2),
                Duration.ofSeconds(20),
                false,
                Duration.ofMinutes(5),
                Optional.empty(),
                Optional.empty()));
    assertThat(
            parse(
                    "--model-store=/a",
                    "--grpc-keepalive-time=1",
                    "--grpc-keepalive-timeout=2",
                    "--grpc-keepalive-permit-without-calls=true",
                    "--grpc-http2-min-recv-ping-interval-without-data=3",
                    "--grpc-max-connection-age=4",
                    "--grpc-max-connection-age-grace=5")
                .grpc()
                .settings(ClientHeader.NONE)
                .keepAlive())
        .isEqualTo(
            new GrpcKeepAlive(
                Duration.ofMillis(1),
                Duration.ofMillis(2),
                true,
                Duration.ofMillis(3),
                Optional.of(Duration.ofMillis(4)),
                Optional.of(Duration.ofMillis(5))));
  }
}

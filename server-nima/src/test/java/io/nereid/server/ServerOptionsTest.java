package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.server.execution.ratelimit.RateLimiter.ResourceLimit;
import io.nereid.server.metrics.MetricsPage;
import io.nereid.server.model.LatencyMetrics;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Option;

class ServerOptionsTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int execute(String... arguments) {
    CommandLine line =
        Main.commandLine().setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return Main.execute(line, arguments);
  }

  private static ServerOptions parse(String... arguments) {
    return CommandLine.populateCommand(new ServerOptions(), arguments);
  }

  @Test
  void valuesFollowAnEqualsSignOrAreTheNextArgument() {
    ServerOptions joined = parse("--model-repository=/a", "--http-port=1", "--allow-grpc=false");
    ServerOptions apart =
        parse("--model-repository", "/a", "--http-port", "1", "--allow-grpc", "0");

    for (ServerOptions options : new ServerOptions[] {joined, apart}) {
      assertThat(options.modelRepositories).containsExactly(Path.of("/a"));
      assertThat(options.httpPort).isEqualTo(1);
      assertThat(options.allowGrpc).isFalse();
    }
  }

  @Test
  void defaultsAreThoseOfTriton() {
    ServerOptions options = parse("--model-store=/a", "--model-repository=/b");

    assertThat(options.modelRepositories).containsExactly(Path.of("/a"), Path.of("/b"));
    assertThat(options.httpPort).isEqualTo(8000);
    assertThat(options.grpcPort).isEqualTo(8001);
    assertThat(options.metricsPort).isEqualTo(8002);
    assertThat(options.httpAddress).isEqualTo("0.0.0.0");
    assertThat(options.metricsAddress()).isEqualTo("0.0.0.0");
    assertThat(options.httpMaxInputSize).isEqualTo(64L << 20);
    assertThat(options.exitTimeoutSeconds).isEqualTo(30);
    assertThat(options.exitOnError).isTrue();
    assertThat(options.logVerbose).isZero();
  }

  @Test
  void theDefaultMetricsAddressIsThatOfHttp() {
    assertThat(parse("--model-store=/a", "--http-address=127.0.0.2").metricsAddress())
        .isEqualTo("127.0.0.2");
    assertThat(
            parse("--model-store=/a", "--http-address=127.0.0.2", "--metrics-address=127.0.0.3")
                .metricsAddress())
        .isEqualTo("127.0.0.3");
  }

  @Test
  void metricsAreShownUnlessTheyAreSwitchedOff() {
    assertThat(parse("--model-store=/a").metricsContent())
        .isEqualTo(
            new MetricsPage.Content(
                true, List.of(0.5, 0.9, 0.95, 0.99, 0.999), true, Duration.ofSeconds(2)));
    assertThat(parse("--model-store=/a").latencyMetrics()).isEqualTo(LatencyMetrics.NONE);
    assertThat(
            parse(
                    "--model-store=/a",
                    "--allow-cpu-metrics=false",
                    "--metrics-config=counter_latencies=true",
                    "--metrics-config",
                    "summary_latencies=false",
                    "--metrics-config=counter_latencies=off",
                    "--metrics-config=summary_quantiles=0.5:0.05,1:0",
                    "--metrics-interval-ms=100")
                .metricsContent())
        .isEqualTo(
            new MetricsPage.Content(false, List.of(0.5, 1.0), false, Duration.ofMillis(100)));
  }

  @Test
  void latenciesAreRecordedIfTheirMetricsAreOn() {
    assertThat(
            parse("--model-store=/a", "--metrics-config=summary_latencies=true").latencyMetrics())
        .isEqualTo(new LatencyMetrics(true, false));
    assertThat(
            parse("--model-store=/a", "--metrics-config=histogram_latencies=true").latencyMetrics())
        .isEqualTo(new LatencyMetrics(false, true));
    assertThat(
            parse(
                    "--model-store=/a",
                    "--allow-metrics=false",
                    "--metrics-config=summary_latencies=true",
                    "--metrics-config=histogram_latencies=true")
                .latencyMetrics())
        .isEqualTo(LatencyMetrics.NONE);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "counter_latencies,expected <setting>=<value>",
        "bogus=true,unknown metrics setting 'bogus'",
        "summary_quantiles=0.5,expected <quantile>:<error>",
        "summary_quantiles=0.5:0.01:3,expected <quantile>:<error>",
        "summary_quantiles=half:0.01,expected <quantile>:<error>",
        "summary_quantiles=1.5:0.01,expected <quantile>:<error>",
        "summary_quantiles=0.5:x,expected <quantile>:<error>",
        "counter_latencies=perhaps,expected true or false"
      })
  void rejectsAnInvalidMetricsSetting(String setting, String text) {
    assertThat(execute("serve", "--model-repository=/a", "--metrics-config=" + setting))
        .isEqualTo(1);
    assertThat(err.toString()).contains(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--allow-http",
        "--allow-grpc",
        "--allow-metrics",
        "--allow-cpu-metrics",
        "--exit-on-error",
        "--metrics-config=counter_latencies",
        "--metrics-config=summary_latencies"
      })
  void booleansHaveTritonsSpellingsInAnyLetterCase(String flag) {
    for (String text : List.of("true", "True", "TRUE", "tRuE", "on", "On", "ON", "1")) {
      assertThat(isOn(flag, text)).as(text).isTrue();
    }
    for (String text : List.of("false", "False", "FALSE", "off", "Off", "OFF", "0")) {
      assertThat(isOn(flag, text)).as(text).isFalse();
    }
    for (String text : List.of("", "yes", "no", "t", "2", "01", "-1", "true ", "truth")) {
      assertThat(execute("serve", "--model-repository=/a", flag + "=" + text)).isEqualTo(1);
      assertThat(err.toString()).contains("expected true or false, got '" + text + "'", "Usage:");
    }
  }

  private static boolean isOn(String flag, String text) {
    ServerOptions options = parse("--model-store=/a", flag + "=" + text);
    return switch (flag) {
      case "--allow-http" -> options.allowHttp;
      case "--allow-grpc" -> options.allowGrpc;
      case "--allow-metrics" -> options.allowMetrics;
      case "--allow-cpu-metrics" -> options.allowCpuMetrics;
      case "--exit-on-error" -> options.exitOnError;
      case "--metrics-config=counter_latencies" -> options.metricsContent().counterLatencies();
      default -> options.latencyMetrics().summaries();
    };
  }

  @Test
  void aBooleanNeedsAValue() {
    assertThat(execute("serve", "--model-repository=/a", "--allow-http")).isEqualTo(1);
    assertThat(err.toString()).contains("--allow-http");
  }

  @Test
  void optionsWithoutACommandAreThoseOfServe() {
    assertThat(execute("--model-repository=/a", "--bogus=1")).isEqualTo(1);
    assertThat(err.toString()).contains("Unknown option: '--bogus=1'", "Usage: nereid serve");
    assertThat(execute("--help")).isZero();
    assertThat(out.toString()).contains("Usage: nereid serve");
  }

  @Test
  void backendsLieBesideTheFolderOfTheServersJar(@TempDir Path home) throws IOException {
    Path lib = Files.createDirectories(home.resolve("lib"));

    assertThat(ServerOptions.distribution(lib.resolve("server.jar"))).isEqualTo(home);
    assertThat(ServerOptions.distribution(home.resolve("server.jar"))).isEqualTo(Path.of("."));
    assertThat(ServerOptions.distribution(lib)).isEqualTo(Path.of("."));
    assertThat(ServerOptions.distribution(Files.createDirectories(lib.resolve("classes"))))
        .isEqualTo(Path.of("."));
  }

  @ParameterizedTest
  @CsvSource({"0,0", "2,2", "true,1", "TRUE,1", "False,0"})
  void verbosityIsANumberOrABoolean(String text, int expected) {
    assertThat(parse("--model-store=/a", "--log-verbose=" + text).logVerbose).isEqualTo(expected);
  }

  @Test
  void backendSettingsApplyToOneBackendOrToAll() {
    ServerOptions options =
        parse(
            "--model-store=/a",
            "--backend-config=onnxruntime,threads=2",
            "--backend-config=onnxruntime,threads=4",
            "--backend-config",
            "onnxruntime,path=a=b,c",
            "--backend-config=default-max-batch-size=8");

    assertThat(BackendOption.byBackend(options.backendOptions))
        .isEqualTo(
            Map.of(
                "onnxruntime", Map.of("threads", "4", "path", "a=b,c"),
                "", Map.of("default-max-batch-size", "8")));
  }

  @Test
  void aBackendSettingNeedsAValue() {
    assertThatExceptionOfType(CommandLine.ParameterException.class)
        .isThrownBy(() -> parse("--model-store=/a", "--backend-config=onnxruntime,threads"))
        .withMessageContaining("expected <backend>,<key>=<value>, got 'onnxruntime,threads'");
  }

  @Test
  void theRateLimiterIsOffByDefault() {
    assertThat(parse("--model-store=/a").rateLimit).isEqualTo(ServerOptions.RateLimitMode.OFF);
    assertThat(parse("--model-store=/a", "--rate-limit=off").rateLimit)
        .isEqualTo(ServerOptions.RateLimitMode.OFF);
    assertThat(parse("--model-store=/a", "--rate-limit", "Execution_Count").rateLimit)
        .isEqualTo(ServerOptions.RateLimitMode.EXECUTION_COUNT);
  }

  @Test
  void resourcesExistOnOneDeviceOrOnEach() {
    assertThat(
            parse(
                    "--model-store=/a",
                    "--rate-limit-resource=R1:4",
                    "--rate-limit-resource",
                    "r1:0:12")
                .rateLimitResources)
        .containsExactly(
            new ResourceLimit("R1", 4, OptionalInt.empty()),
            new ResourceLimit("r1", 0, OptionalInt.of(12)));
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "--rate-limit=on,invalid argument for --rate-limit",
        "--rate-limit-resource=R,--rate-limit-resource option format is"
            + " '<resource_name>:<count>:<device>' or '<resource_name>:<count>'. Got R",
        "--rate-limit-resource=R:1:0:2,or '<resource_name>:<count>'. Got R:1:0:2",
        "--rate-limit-resource=R:,Invalid option value. Got",
        "--rate-limit-resource=R:many,Invalid option value. Got many",
        "--rate-limit-resource=R:1:gpu,Invalid option value. Got gpu",
        "--rate-limit-resource=R:2147483648,Provided option value is out of bound. Got 2147483648",
        "--rate-limit-resource=R:-1,Provided option value is out of bound. Got -1",
        "--rate-limit-resource=R:1:-1,Provided option value is out of bound. Got -1"
      })
  void rejectsAnInvalidRateLimit(String argument, String text) {
    assertThat(execute("serve", "--model-repository=/a", argument)).isEqualTo(1);
    assertThat(err.toString()).contains(text);
  }

  @Test
  void theLargestInputMayHaveAnySizeAboveZero() {
    for (long size : new long[] {1, 1 << 20, Long.MAX_VALUE}) {
      assertThat(parse("--model-store=/a", "--http-max-input-size=" + size).httpMaxInputSize)
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
  void aLargestInputThatIsNotAboveZeroEndsTheServer(String size, String text) {
    assertThat(execute("serve", "--model-repository=/a", "--http-max-input-size=" + size))
        .isEqualTo(1);
    assertThat(err.toString()).contains(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"--bogus=1", "--http-port=many", "--allow-http=perhaps", "--log-verbose=loud"})
  void anUnknownOptionOrAnInvalidValueExitsWithOneAndAnError(String argument) {
    assertThat(execute("serve", "--model-repository=/a", argument)).isEqualTo(1);
    assertThat(err.toString())
        .contains(
            argument.substring(argument.indexOf('=') + 1).equals("1")
                ? "Unknown option: '--bogus=1'"
                : "'" + argument.substring(argument.indexOf('=') + 1) + "'");
  }

  @Test
  void aRepositoryIsRequired() {
    assertThat(execute("serve")).isEqualTo(1);
    assertThat(err.toString())
        .contains("Missing required option: '--model-repository=<directory>'");
  }

  @Test
  void helpListsEveryOption() throws Exception {
    assertThat(execute("serve", "--help")).isZero();

    int options = 0;
    for (Field field : ServerOptions.class.getDeclaredFields()) {
      Option option = field.getAnnotation(Option.class);
      if (option != null) {
        options++;
        assertThat(out.toString()).contains(option.names());
        assertThat(option.description()).as("description of " + field).isNotEmpty();
      }
    }
    assertThat(options).isGreaterThan(10);
    assertThat(out.toString()).doesNotContain("${");
  }
}

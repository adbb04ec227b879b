package io.nereid.server.options.triton;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.server.options.ParsedOptions;
import io.nereid.server.options.ServerOptions;
import io.nereid.server.options.triton.TritonOption.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

/** Triton's command line. The module's folder is the current one. */
class TritonOptionsTest {
  private static final Path GUIDE = Path.of("../docs/migrating-from-triton.md");
  private static final Pattern ROW = Pattern.compile("\\| (`--[a-z0-9-]+`.*) \\| (.+) \\|");

  /** The names in Triton 2.73, src/command_line_parser.cc. */
  static final List<String> NAMES =
      List.of(
          "help",
          "id",
          "exit-timeout-secs",
          "model-store",
          "model-repository",
          "exit-on-error",
          "disable-auto-complete-config",
          "strict-readiness",
          "model-control-mode",
          "repository-poll-secs",
          "load-model",
          "model-config-name",
          "model-load-thread-count",
          "model-load-retry-count",
          "model-namespacing",
          "enable-peer-access",
          "allow-http",
          "http-address",
          "http-port",
          "reuse-http-port",
          "http-header-forward-pattern",
          "http-thread-count",
          "http-max-input-size",
          "http-restricted-api",
          "allow-grpc",
          "grpc-address",
          "grpc-port",
          "reuse-grpc-port",
          "grpc-header-forward-pattern",
          "grpc-infer-thread-count",
          "grpc-infer-allocation-pool-size",
          "grpc-max-response-pool-size",
          "grpc-use-ssl",
          "grpc-use-ssl-mutual",
          "grpc-server-cert",
          "grpc-server-key",
          "grpc-root-cert",
          "grpc-infer-response-compression-level",
          "grpc-keepalive-time",
          "grpc-keepalive-timeout",
          "grpc-keepalive-permit-without-calls",
          "grpc-http2-max-pings-without-data",
          "grpc-http2-min-recv-ping-interval-without-data",
          "grpc-http2-max-ping-strikes",
          "grpc-max-connection-age",
          "grpc-max-connection-age-grace",
          "grpc-restricted-protocol",
          "log-verbose",
          "log-info",
          "log-warning",
          "log-error",
          "log-format",
          "log-file",
          "allow-sagemaker",
          "sagemaker-port",
          "sagemaker-safe-port-range",
          "sagemaker-thread-count",
          "allow-vertex-ai",
          "vertex-ai-port",
          "vertex-ai-thread-count",
          "vertex-ai-default-model",
          "allow-metrics",
          "allow-gpu-metrics",
          "allow-cpu-metrics",
          "metrics-address",
          "metrics-port",
          "metrics-interval-ms",
          "metrics-config",
          "trace-config",
          "cache-config",
          "cache-directory",
          "rate-limit",
          "rate-limit-resource",
          "pinned-memory-pool-byte-size",
          "cuda-memory-pool-byte-size",
          "cuda-virtual-address-size",
          "min-supported-compute-capability",
          "buffer-manager-thread-count",
          "host-policy",
          "model-load-gpu-limit",
          "allow-client-shm",
          "backend-directory",
          "backend-config",
          "repoagent-directory",
          "strict-model-config",
          "response-cache-byte-size",
          "trace-file",
          "trace-level",
          "trace-rate",
          "trace-count",
          "trace-log-frequency");

  /** The options that {@code serve} declares itself. */
  private static Set<String> declared() {
    @Command
    class Serve {
      @SuppressWarnings("UnusedVariable") // read by picocli
      @Mixin
      ServerOptions options = new ServerOptions();
    }
    return new CommandLine(new Serve()).getCommandSpec().optionsMap().keySet();
  }

  private static ServerOptions parse(String... more) {
    String[] arguments = new String[more.length + 1];
    arguments[0] = "--model-repository=/models";
    System.arraycopy(more, 0, arguments, 1, more.length);
    return ParsedOptions.of(arguments);
  }

  private static List<String> names() {
    return NAMES.stream().map("--"::concat).toList();
  }

  @Test
  void serveDeclaresEachOptionOfTritonThatIsNotListedAndNoneThatIs() {
    List<String> listed = TritonOptions.ALL.stream().map(TritonOption::name).toList();
    Set<String> working = new HashSet<>(names());
    working.removeAll(listed);
    working.remove("--help");

    assertThat(names()).containsAll(listed).doesNotHaveDuplicates();
    assertThat(listed).doesNotHaveDuplicates();
    assertThat(declared()).containsAll(working).doesNotContainAnyElementsOf(listed);
  }

  @Test
  void theGuideSaysOfEachOptionThatDiffersWhatBecomesOfIt() throws IOException {
    Map<String, Outcome> outcomes =
        TritonOptions.ALL.stream()
            .collect(Collectors.toMap(TritonOption::name, TritonOption::outcome));
    Map<String, String> rows = new LinkedHashMap<>();
    for (String line : Files.readAllLines(GUIDE)) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        for (String name : row.group(1).replace("`", "").split(", ", -1)) {
          assertThat(rows.put(name, row.group(2))).as(name).isNull();
        }
      }
    }

    assertThat(rows).containsKeys(outcomes.keySet().toArray(String[]::new));
    assertThat(names()).containsAll(rows.keySet());
    rows.forEach((name, said) -> {
      switch (outcomes.get(name)) {
        case null -> assertThat(said).as(name).startsWith("works; ");
        case Outcome.NoEffect(_, String reason) ->
            assertThat(said).as(name).isEqualTo("no effect: " + reason);
        case Outcome.Refused(String advice) ->
            assertThat(said).as(name).isEqualTo("`true` stops the start: " + advice);
      }
    });
  }

  static List<TritonOption> withoutEffect() {
    return TritonOptions.ALL.stream()
        .filter(option -> option.outcome() instanceof Outcome.NoEffect)
        .toList();
  }

  private static String value(TritonOption option) {
    return switch (((Outcome.NoEffect) option.outcome()).type()) {
      case BOOLEAN -> "true";
      case INTEGER -> "4";
      case DECIMAL -> "6.0";
      case TEXT -> "some";
      case PER_DEVICE -> "0:0.5";
      case RANGE -> "9000-9010";
    };
  }

  @ParameterizedTest
  @MethodSource("withoutEffect")
  void anOptionWithoutEffectIsAcceptedInBothFormsAndReportedOnce(TritonOption option) {
    String value = value(option);
    ServerOptions options =
        parse(option.name() + "=" + value, option.name(), value, "--http-port=1");

    assertThat(options.withoutEffect())
        .singleElement()
        .asString()
        .startsWith(option.name() + " has no effect here: ");
    assertThat(options.http().listener().port()).isEqualTo(1);
  }

  @Test
  void whatIsNotGivenIsNotReported() {
    assertThat(parse().withoutEffect()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "ON", "1"})
  void endpointsThatAreMissingStopTheStart(String value) {
    for (String option : List.of("--allow-sagemaker", "--allow-vertex-ai")) {
      assertThatExceptionOfType(ParameterException.class)
          .isThrownBy(() -> parse(option + "=" + value))
          .withMessageContaining(option + ": there are no endpoints for")
          .withMessageContaining("Remove the option");
      assertThat(parse(option + "=false").withoutEffect()).isEmpty();
      assertThat(parse(option + "=true", option + "=0").withoutEffect()).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "--http-thread-count,many",
    "--http-thread-count,''",
    "--allow-gpu-metrics,perhaps",
    "--min-supported-compute-capability,new",
    "--cuda-memory-pool-byte-size,1024",
    "--cuda-memory-pool-byte-size,a:1",
    "--model-load-gpu-limit,0:",
    "--sagemaker-safe-port-range,9000"
  })
  void aValueThatTritonCannotReadIsRejected(String option, String value) {
    assertThatExceptionOfType(ParameterException.class)
        .isThrownBy(() -> parse(option + "=" + value))
        .withMessageContaining(option);
  }

  @ParameterizedTest
  @FieldSource("NAMES")
  void noOptionOfTritonIsUnknown(String name) {
    try {
      parse("--" + name + "=1");
    } catch (ParameterException rejected) {
      assertThat(rejected.getMessage()).doesNotStartWith("Unknown option: '--" + name + "'");
    }
  }
}

package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Every command, with every option that it has of its own and of its mixins. */
class CommandsTest {
  /** What each command needs. */
  private static final Map<String, List<String>> REQUIRED =
      Map.of(
          "bench", List.of("./missing"),
          "infer", List.of("./missing"),
          "verify", List.of("./missing", "--inputs=/missing", "--expected=/missing"),
          "serve", List.of("--model-repository=/missing"),
          "demo", List.of("--model-repository=/missing", "--samples=/missing"),
          "doctor", List.of(),
          "lint", List.of("/missing"),
          "config", List.of("/missing"),
          "replay", List.of("/missing"));

  /** Values of options for which a number or {@code true} is none. */
  private static final Map<String, String> VALUES =
      Map.ofEntries(
          Map.entry("--backend-config", "onnxruntime,a=b"),
          Map.entry("--cache-config", "local,size=1"),
          Map.entry("--client-settings", "none"),
          Map.entry("--cuda-memory-pool-byte-size", "0:1"),
          Map.entry("--cuda-virtual-address-size", "0:1"),
          Map.entry("--front-end-config", "lines,port=0"),
          Map.entry("--grpc-infer-response-compression-level", "low"),
          Map.entry("--grpc-restricted-protocol", "health:key=value"),
          Map.entry("--host-policy", "p,numa-node=0"),
          Map.entry("--http-restricted-api", "health:key=value"),
          Map.entry("--log-format", "json"),
          Map.entry("--metrics-config", "counter_latencies=true"),
          Map.entry("--model-control-mode", "poll"),
          Map.entry("--model-load-gpu-limit", "0:1"),
          Map.entry("--format", "csv"),
          Map.entry("--rate-limit", "off"),
          Map.entry("--rate-limit-resource", "r:1"),
          Map.entry("--request-header", "a=b"),
          Map.entry("--shape", "x=1"),
          Map.entry("--sagemaker-safe-port-range", "1-2"),
          Map.entry("--strict-readiness", "every-model"),
          Map.entry("--trace-config", "mode=triton"),
          Map.entry("--trace-level", "OFF"));

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int execute(String command, String... options) {
    List<String> arguments = new ArrayList<>(List.of(command));
    arguments.addAll(Objects.requireNonNull(REQUIRED.get(command)));
    arguments.addAll(List.of(options));
    return NereidCommand.run(out, err, arguments.toArray(String[]::new));
  }

  @TestFactory
  Stream<DynamicTest> eachOptionIsRead() {
    return REQUIRED.keySet().stream()
        .sorted()
        .flatMap(command ->
            spec(command).options().stream()
                .filter(option -> !option.usageHelp() && !option.versionHelp())
                .map(option ->
                    DynamicTest.dynamicTest(
                        command + " " + option.longestName(), () -> assertRead(command, option))));
  }

  private static CommandLine.Model.CommandSpec spec(String command) {
    return Objects.requireNonNull(Main.commandLine().getSubcommands().get(command))
        .getCommandSpec();
  }

  private static void assertRead(String command, OptionSpec option) {
    List<String> arguments = new ArrayList<>(List.of(command));
    arguments.addAll(Objects.requireNonNull(REQUIRED.get(command)));
    arguments.add(
        option.arity().max() == 0
            ? option.longestName()
            : option.longestName() + "=" + value(option));
    assertThatCode(
            () -> {
              var parsed =
                  Main.commandLine().parseArgs(arguments.toArray(String[]::new)).subcommand();
              assertThat(parsed.hasMatchedOption(option.longestName())).isTrue();
            })
        .as("%s", arguments)
        .doesNotThrowAnyException();
  }

  private static String value(OptionSpec option) {
    return VALUES.getOrDefault(option.longestName(), "1");
  }

  /** The check of options, or the look at paths, is the first that a command does. */
  @ParameterizedTest
  @CsvSource({
    "serve,  2, --load-model=m, Use of '--load-model' requires setting",
    "demo,   2, --load-model=m, Use of '--load-model' requires setting",
    "doctor, 2, --load-model=m, Use of '--load-model' requires setting",
    "bench,  2, --warmup=1, bench measures a server",
    "verify, 2, --rtol=1, no folder of a model './missing'",
    "infer,  2, --no-header, no folder of a model './missing'",
    "lint,   2, --no-backends,  no directory '/missing'",
    "config, 2, --model-config-name=c, no directory '/missing'",
    "replay, 2, --model=m, cannot replay '/missing'"
  })
  void beginsWithTheOptionsThatItWasGiven(String command, int status, String option, String text) {
    assertThat(execute(command, option)).as(err.toString()).isEqualTo(status);
    assertThat(err.toString()).contains(text);
  }
}

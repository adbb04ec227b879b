package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** The exit status and the messages of the command line. */
class CommandLineTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int execute(String... arguments) {
    return Main.execute(printing(Main.commandLine()), arguments);
  }

  private CommandLine printing(CommandLine line) {
    return line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "--help",
        "--version",
        "--model-repository=/a --bogus=1",
        "--model-repository=/a --load-model=m",
        "--model-repository=/missing --log-file=/dev/null --log-file=/missing/x",
      })
  void serveByItselfIsTheSame(String arguments) {
    String[] words = arguments.isEmpty() ? new String[0] : arguments.split(" ");
    int status = printing(Main.serveLine()).execute(words);
    String printed = out.toString() + err;
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);

    assertThat(execute(Stream.concat(Stream.of("serve"), Stream.of(words)).toArray(String[]::new)))
        .isEqualTo(status);
    assertThat(out.toString() + err).isEqualTo(printed).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(classes = {IllegalStateException.class, AssertionError.class})
  void anUnexpectedFailureIsASentenceThatNamesTheCommand(Class<?> type, @TempDir Path repository) {
    var broken =
        new PrintWriter(out) {
          @Override
          public void flush() {
            if (type == AssertionError.class) {
              throw new AssertionError("no flush");
            }
            throw new IllegalStateException("no flush");
          }
        };
    CommandLine line = printing(Main.commandLine()).setOut(broken);

    assertThat(Main.execute(line, "lint", "--no-backends", repository.toString())).isOne();
    assertThat(err.toString())
        .isEqualTo("nereid lint: unexpected failure: %s: no flush%n".formatted(type.getName()));
  }

  @Test
  void aBooleanNeedsAValue() {
    assertThat(execute("serve", "--model-repository=/a", "--allow-http")).isEqualTo(2);
    assertThat(err.toString()).contains("--allow-http");
  }

  @Test
  void optionsWithoutACommandAreThoseOfServe() {
    assertThat(execute("--model-repository=/a", "--bogus=1")).isEqualTo(2);
    assertThat(err.toString()).contains("Unknown option: '--bogus'", "'nereid serve --help'");
    assertThat(execute("--help")).isZero();
    assertThat(out.toString()).contains("Usage: nereid serve");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "--http-port=many|'many'",
        "--http-port=65536|from 0 to 65535, got '65536'",
        "--grpc-port=-1|from 0 to 65535, got '-1'",
        "--metrics-port=65536|from 0 to 65535, got '65536'",
        "--allow-http=perhaps|expected true or false, got 'perhaps'",
        "--log-verbose=loud|'loud'",
        "--log-format=iso|expected default, ISO8601 or json, got 'iso'",
        "--model-control-mode=manual|expected none, poll or explicit, got 'manual'",
        "--rate-limit=on|expected off or execution_count, got 'on'",
        "--grpc-infer-response-compression-level=all|none, low, medium or high, got 'all'",
        "--exit-timeout-secs=-1|out of bound. Got -1",
        "--model-load-thread-count=0|out of bound. Got 0",
      })
  void aWrongArgumentIsTwoLinesWithItsReasonFirstAndExitsWithTwo(String argument, String reason) {
    assertThat(execute("serve", "--model-repository=/a", argument)).isEqualTo(2);
    assertThat(err.toString().lines().toList()).hasSize(2);
    assertThat(err.toString().lines().findFirst()).get().asString().contains(reason);
    assertThat(err.toString()).endsWith("'nereid serve --help' lists the options.%n".formatted());
  }

  @Test
  void optionsMayComeFromAFileSoThatTheListOfProcessesShowsNoSecret(@TempDir Path directory)
      throws IOException {
    Path file = directory.resolve("options");
    Files.writeString(
        file, "--http-restricted-api=health:key=secret\n--http-restricted-api=health:key=twice\n");

    assertThat(execute("doctor", "--model-repository=/a", "@" + file)).isEqualTo(2);
    assertThat(err.toString())
        .startsWith("restricted api 'health' can not be specified in multiple config groups");
  }

  @ParameterizedTest
  @CsvSource({
    "serve --model-repositry=/a, --model-repository",
    "serve --model-repository=/a --htp-port=1, --http-port",
    "doctor --grpc-prot 1, --grpc-port",
    "lint /tmp --no-backens, --no-backends",
  })
  void theNearestNameOfAnUnknownOptionIsNamed(String words, String nearest) {
    assertThat(execute(words.split(" "))).isEqualTo(2);
    assertThat(err.toString()).contains("Did you mean " + nearest).hasLineCount(2);
  }

  @Test
  void aNameThatIsNearToNoneIsOnlyUnknown() {
    assertThat(execute("serve", "--model-repository=/a", "--bogus=1")).isEqualTo(2);
    assertThat(err.toString())
        .isEqualTo(
            "Unknown option: '--bogus'%n'nereid serve --help' lists the options.%n".formatted());
  }

  @Test
  void aWordThatIsNoCommandIsAnsweredWithTheNearest() {
    assertThat(execute("serv")).isEqualTo(2);
    assertThat(err.toString())
        .contains(
            "Unknown word: 'serv'", "Did you mean serve", "'nereid --help' lists the commands")
        .hasLineCount(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--log-file", "--access-log", "--scheduler-journal"})
  void aFileThatCannotBeOpenedIsNamedWithItsOption(String option) {
    assertThat(execute("serve", "--model-repository=/missing", option + "=/missing/x"))
        .isEqualTo(1);
    assertThat(err.toString())
        .startsWith("nereid: the file of %s cannot be opened: ".formatted(option))
        .contains("/missing/x")
        .hasLineCount(1);
  }

  @Test
  void aFileOfOptionsThatCannotBeReadIsNamedWithTheReason() {
    assertThat(execute("serve", "--model-repository=/a", "@/missing/options")).isEqualTo(2);
    assertThat(err.toString())
        .startsWith("cannot read the options in '/missing/options': no such file or directory")
        .hasLineCount(2);
  }

  @Test
  void theValueOfAnUnknownOptionIsNotPrinted() {
    assertThat(execute("serve", "--http-restricted-apii=trace:key=s3cret")).isEqualTo(2);
    assertThat(err.toString())
        .startsWith("Unknown option: '--http-restricted-apii'")
        .contains("Did you mean --http-restricted-api?")
        .doesNotContain("s3cret");
  }

  @Test
  void theLastLineOfAFileOfTheLogSaysWhyTheServerDidNotStart(@TempDir Path directory)
      throws IOException {
    Path file = directory.resolve("server.log");
    assertThat(execute("serve", "--model-repository=/missing", "--log-file=" + file)).isEqualTo(1);

    String reason = err.toString().strip().replaceFirst("nereid: ", "");
    assertThat(Files.readAllLines(file)).last().asString().startsWith("E").contains(reason);
  }

  @Test
  void theBeginningOfANameIsEnough() {
    CommandLine line = printing(Main.serveLine());
    String[] words = {
      "--model-rep=/missing", "--log-warn=false", "--http-po", "1", "--allow-met=false", "--id=--x"
    };

    assertThat(Main.serve(line, words)).isEqualTo(1);

    assertThat(err.toString()).contains("/missing").doesNotContain("Usage");
    ParseResult parsed = line.getParseResult();
    assertThat(parsed.matchedOptionValue("--log-warning", true)).isFalse();
    assertThat(parsed.matchedOptionValue("--http-port", 0)).isEqualTo(1);
    assertThat(parsed.matchedOptionValue("--allow-metrics", true)).isFalse();
    assertThat(parsed.matchedOptionValue("--id", "")).isEqualTo("--x");
  }

  @Test
  void theBeginningOfANameIsEnoughForOtherCommands() {
    assertThat(execute("doctor", "--allow-met=perhaps")).isEqualTo(2);
    assertThat(err.toString()).contains("'perhaps'").doesNotContain("Unknown");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--http-=1", "--allow", "--bogus", "--http-ports=1"})
  void theBeginningOfSeveralNamesOrOfNoneIsNot(String word) {
    assertThat(Main.serve(printing(Main.serveLine()), "--model-repository=/a", word)).isEqualTo(2);
    assertThat(err.toString()).contains("Unknown option: '" + word.split("=", 2)[0] + "'");
  }

  @Test
  void aRepositoryIsRequired() {
    assertThat(execute("serve")).isEqualTo(2);
    assertThat(err.toString()).contains("Missing required option: '--model-repository=<location>'");
  }

  @Test
  void optionsThatContradictEachOtherExitWithTwo() {
    assertThat(execute("serve", "--model-repository=/a", "--load-model=m")).isEqualTo(2);
    assertThat(err.toString())
        .startsWith("Error: Use of '--load-model' requires setting")
        .hasLineCount(2);
  }

  @Test
  void aDeprecatedOptionIsReported() {
    execute("serve", "--model-repository=/missing", "--strict-model-config=false");

    assertThat(err.toString())
        .contains("'--strict-model-config' has been deprecated! Please use")
        .doesNotContain("Overriding");
  }

  @ParameterizedTest
  @ValueSource(strings = {"serve", "demo", "doctor"})
  void helpListsEveryOptionOnceAndByTopic(String command) {
    assertThat(execute(command, "--help")).isZero();

    List<OptionSpec> options =
        Objects.requireNonNull(Main.commandLine().getSubcommands().get(command))
            .getCommandSpec()
            .options();
    assertThat(options).hasSizeGreaterThan(30);
    for (OptionSpec option : options) {
      assertThat(option.description()).as(option.longestName()).isNotEmpty();
      assertThat(out.toString().lines())
          .filteredOn(line ->
              line.matches("  (-\\w,|   ) (--[\\w-]+, )?" + option.longestName() + "\\b(?!-).*"))
          .as(option.longestName())
          .hasSize(1);
    }
    assertThat(out.toString())
        .containsSubsequence("--id", "Models:", "--load-model", "Metrics:", "--metrics-port")
        .doesNotContain("${");
  }
}

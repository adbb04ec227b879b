package io.nereid.server.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.model.Readiness;
import io.nereid.engine.model.config.ConfigSettings;
import io.nereid.engine.model.config.validation.ConfigLimits;
import io.nereid.engine.model.control.ControlMode;
import io.nereid.engine.model.control.ControlSettings;
import io.nereid.engine.model.control.operation.LoadLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.ParameterException;

/** Names, defaults and errors are those of Triton's command line. */
class ModelOptionsTest {
  private static ModelOptions parse(String... arguments) {
    List<String> all = new ArrayList<>(List.of("--model-store=/a"));
    all.addAll(List.of(arguments));
    return ParsedOptions.of(all.toArray(String[]::new)).models();
  }

  @Test
  void repositoriesHaveTwoNamesAndAnOrder() {
    assertThat(parse("--model-repository=/b", "--model-store", "s3://bucket/path").repositories())
        .containsExactly("/a", "/b", "s3://bucket/path");
  }

  @Test
  void aTextModelIsARepositoryOfItsFolderWithTheFoldersName() {
    ModelOptions options = ParsedOptions.of("--text-model=models/minilm/").models();
    assertThat(options.repositories()).containsExactly("models/minilm/");
    assertThat(options.bareModel()).contains("minilm");

    assertThat(ParsedOptions.of("--text-model=/a", "--model-name=b").models().bareModel())
        .contains("b");
    assertThatExceptionOfType(ParameterException.class)
        .isThrownBy(() -> parse("--text-model=/b"))
        .withMessage("Error: --text-model is in place of --model-repository, both are given");
  }

  @Test
  void aTextModelHasTheApisOfOthersUnlessTheyAreOff() {
    ServerOptions text = ParsedOptions.of("--text-model=/a");
    assertThat(text.http().textApi()).isEmpty();
    assertThat(text.models().isTextModel()).isTrue();
    assertThat(ParsedOptions.of("--text-model=/a", "--text-api=false").http().textApi())
        .contains(false);
    assertThat(ParsedOptions.of("--model-repository=/a").models().isTextModel()).isFalse();
  }

  @Test
  void defaultsAreThoseOfTriton() {
    assertThat(parse().control())
        .isEqualTo(
            new ControlSettings(
                ControlMode.NONE,
                List.of(),
                Duration.ofSeconds(15),
                Readiness.SERVING,
                false,
                new ControlSettings.Loads(
                    4, new LoadLimits(Duration.ofMinutes(30), Duration.ofMinutes(5)), 0),
                ConfigSettings.DEFAULT));
    assertThat(parse().exitsOnError()).isTrue();
  }

  @Test
  void everySettingHasAnOption() {
    assertThat(
            parse(
                    "--model-control-mode=explicit",
                    "--load-model=b",
                    "--load-model",
                    "a",
                    "--load-model=b",
                    "--repository-poll-secs=3",
                    "--strict-readiness=false",
                    "--model-load-thread-count=2",
                    "--model-load-retry-count=1",
                    "--model-load-timeout-secs=9",
                    "--client-load-timeout-secs=4",
                    "--disable-auto-complete-config",
                    "--model-config-name=h100",
                    "--max-instances=7",
                    "--model-namespacing=on")
                .control())
        .isEqualTo(
            new ControlSettings(
                ControlMode.EXPLICIT,
                List.of("b", "a"),
                Duration.ofSeconds(3),
                Readiness.ACCEPTING,
                true,
                new ControlSettings.Loads(
                    2, new LoadLimits(Duration.ofSeconds(9), Duration.ofSeconds(4)), 1),
                new ConfigSettings(false, Optional.of("h100"), new ConfigLimits(7))));
  }

  @ParameterizedTest
  @CsvSource({"none,NONE", "poll,POLL", "explicit,EXPLICIT", "Explicit,EXPLICIT", "POLL,POLL"})
  void controlModesAreSpelledInAnyLetterCase(String text, ControlMode mode) {
    assertThat(parse("--model-control-mode=" + text).control().mode()).isEqualTo(mode);
  }

  @ParameterizedTest
  @CsvSource({"none", "poll"})
  void modelsToLoadAtTheStartNeedTheExplicitMode(String mode) {
    assertThatExceptionOfType(ParameterException.class)
        .isThrownBy(() -> parse("--model-control-mode=" + mode, "--load-model=a"))
        .withMessage(
            "Error: Use of '--load-model' requires setting '--model-control-mode=explicit' as"
                + " well.");
  }

  @Test
  void aModelFileWithoutALayoutHasItsNameByAnOption() {
    assertThat(parse().bareModel()).isEmpty();
    assertThat(parse("--model-name=digits").bareModel()).contains("digits");
    assertThat(parse("--model-name=digits", "--model-store=/a").bareModel()).contains("digits");
  }

  @Test
  void aModelFileWithoutALayoutIsInOneRepository() {
    assertThatExceptionOfType(ParameterException.class)
        .isThrownBy(() -> parse("--model-name=digits", "--model-repository=/b"))
        .withMessage("Error: --model-name is for the model file of one --model-repository, got 2");
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "a/b,'a/b'",
        "..,'..'",
        ".m,invalid model name '.m'",
        "-m,invalid model name '-m'",
        "a\tb,without control characters",
        "\" \",cannot be empty"
      })
  void aNameThatNoModelCanHaveIsRejected(String name, String text) {
    assertThatExceptionOfType(ParameterException.class)
        .isThrownBy(() -> parse("--model-name=" + name))
        .withMessageStartingWith("Error: --model-name: ")
        .withMessageContaining(text);
  }

  /** The model manager rejects it, as Triton does. */
  @Test
  void aStarBesideAnotherModelIsNoErrorOfTheCommandLine() {
    assertThat(
            parse("--model-control-mode=explicit", "--load-model=*", "--load-model=a")
                .control()
                .startupModels())
        .containsExactly("*", "a");
  }

  @Test
  void theDeprecatedOptionDisablesCompletionUnlessItIsFalse() {
    assertThat(parse("--strict-model-config=true").control().configs().autoComplete()).isFalse();
    assertThat(parse("--strict-model-config=0").control().configs().autoComplete()).isTrue();
    assertThat(
            parse("--strict-model-config=false", "--disable-auto-complete-config")
                .control()
                .configs()
                .autoComplete())
        .isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "--model-control-mode=manual,\"expected none, poll or explicit, got 'manual'\"",
        "--repository-poll-secs=soon,Invalid option value. Got soon",
        "--repository-poll-secs=-1,Provided option value is out of bound. Got -1",
        "--repository-poll-secs=2147483648,Provided option value is out of bound. Got 2147483648",
        "--model-load-thread-count=0,Provided option value is out of bound. Got 0",
        "--model-load-thread-count=-4,Provided option value is out of bound. Got -4",
        "--model-load-retry-count=1.5,Invalid option value. Got 1.5",
        "--model-config-name=,Error: empty argument for --model-config-name",
        "--model-config-name=a b,must not contain any space character",
        "--strict-readiness=perhaps,\"expected true, false or every-model, got 'perhaps'\"",
        "--model-namespacing=,\"expected true or false, got ''\""
      })
  void rejectsAnInvalidValue(String argument, String text) {
    assertThatExceptionOfType(ParameterException.class)
        .isThrownBy(() -> parse(argument))
        .withMessageContaining(text);
  }
}

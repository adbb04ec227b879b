package io.nereid.engine.model.control.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.model.config.ConfigSettings;
import io.nereid.engine.model.control.lifecycle.HostileBackend.Plan;
import io.nereid.engine.model.control.lifecycle.SpiCall.Deed;
import io.nereid.engine.model.control.lifecycle.SpiCall.When;
import io.nereid.engine.model.lint.FindingWriter;
import io.nereid.engine.model.lint.LintSettings;
import io.nereid.engine.model.lint.RepositoryLint;
import io.nereid.engine.plugin.PluginSettings;
import io.nereid.error.InferenceException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What becomes of calls of a load that throw, return null or do not return. */
class BackendLoadCallsTest extends BackendCallsTests {
  /** The calls that lint makes. */
  private static final List<@Nullable Object> LINTED =
      Arrays.asList(
          SpiCall.OPEN_BACKEND,
          SpiCall.COMPLETE,
          SpiCall.WARNINGS,
          SpiCall.INSTANCE_COUNT,
          SpiCall.GPUS);

  static Stream<Arguments> loadsThatEnd() {
    return calls(When.LOAD, Deed.THROWS, Deed.THROWS_ERROR, Deed.RETURNS_NULL);
  }

  static Stream<Arguments> loadsThatHang() {
    return calls(When.LOAD, Deed.DOES_NOT_RETURN);
  }

  @ParameterizedTest
  @MethodSource("loadsThatEnd")
  void aLoadFailsWithASentenceThatNamesTheMethod(SpiCall call, Deed deed) {
    var _ = plan(call, deed);

    InferenceException failure = loadFailure(BAD);

    assertThat(failure)
        .hasMessageContaining("load failed for model 'bad'")
        .hasMessageContaining("backend 'hostile'")
        .hasMessageContaining(call == SpiCall.OPEN_BACKEND ? "cannot be loaded" : call.method())
        .hasMessageContaining(
            switch (deed) {
              case THROWS -> "java.lang.IllegalStateException: of a test";
              case THROWS_ERROR -> "class made.Missing is missing: add the jar that has it";
              case RETURNS_NULL -> "null";
              case DOES_NOT_RETURN, CALLS_BACK_FROM_ANOTHER_THREAD -> throw new AssertionError();
            });
    assertThat(index()).first().asString().startsWith("bad 1 UNAVAILABLE ");
    assertNoOtherIsHarmed();
  }

  @ParameterizedTest
  @MethodSource("loadsThatHang")
  void aLoadThatDoesNotReturnFailsInTime(SpiCall call, Deed deed) {
    Plan plan = plan(call, deed);
    Operation load = Operation.start(() -> load(BAD));

    hold(
        plan,
        () -> {
          assertNoOtherIsHarmed();
          clock.advance(LIMIT.minusNanos(1));
          assertThat(index()).first().asString().isEqualTo("bad 1 LOADING");
          clock.advance(Duration.ofNanos(1));
          assertThat(load.failure())
              .hasMessageContaining(
                  "model 'bad' version 1 has not loaded in time: backend 'hostile' has not returned"
                      + " from "
                      + call.method()
                      + "; the limit is --model-load-timeout-secs=60");
          assertThat(index()).first().asString().startsWith("bad 1 UNAVAILABLE Unavailable: ");
          assertNoOtherIsHarmed();
        });
  }

  @Test
  void loadsThatDoNotReturnLeaveTheirPlacesToOthers() {
    Plan plan = plan(SpiCall.LOAD, Deed.DOES_NOT_RETURN);
    for (String model : List.of("bad1", "bad2", "bad3")) {
      repository.model(model, config(SpiCall.LOAD), 1);
    }
    List<Operation> loads =
        Stream.of("bad", "bad1", "bad2", "bad3")
            .map(model -> Operation.start(() -> load(model)))
            .toList();

    hold(
        plan,
        () -> {
          for (Operation load : loads) {
            while (!load.isDone()) { // the last two wait for the places of the first two
              clock.advance(LIMIT);
              Thread.onSpinWait();
            }
            assertThat(load.failure()).hasMessageContaining("has not loaded in time");
          }
          assertNoOtherIsHarmed();
        });
  }

  @Test
  void aModelThatWasLoadedTooLateIsClosedAndLoadsAgain() {
    Plan plan = plan(SpiCall.LOAD, Deed.DOES_NOT_RETURN);
    Operation load = Operation.start(() -> load(BAD));
    hold(
        plan,
        () -> {
          clock.advance(LIMIT);
          var _ = load.failure();
        });
    HostileBackend.plan(null);

    load(BAD);

    assertThat(index()).contains("bad 1 READY");
  }

  @Test
  void aCloseOfAllModelsDoesNotWaitForALoadThatDoesNotReturn() {
    Plan plan = plan(SpiCall.LOAD, Deed.DOES_NOT_RETURN);
    Operation load = Operation.start(() -> load(BAD));

    hold(
        plan,
        () -> {
          Operation close = Operation.start(manager::close).awaitWaiting();
          clock.advance(Duration.ofSeconds(5));
          close.join();
          assertThat(load.failure()).hasMessageContaining("Backend.load");
        });
  }

  static Stream<Arguments> lints() {
    return calls(When.LOAD, Deed.THROWS, Deed.THROWS_ERROR, Deed.RETURNS_NULL)
        .filter(arguments -> LINTED.contains(arguments.get()[0]));
  }

  @ParameterizedTest
  @MethodSource("lints")
  void lintHasAFindingWithTheMethod(SpiCall call, Deed deed) {
    var _ = plan(call, deed);
    var text = new StringWriter();
    try (var catalog =
        new BackendCatalog(
            new PluginSettings(directory.resolve("no-such-folder"), Map.of()), List.of())) {
      var settings =
          new LintSettings(Optional.empty(), ConfigSettings.DEFAULT, Optional.of(catalog));

      new FindingWriter(new PrintWriter(text))
          .write(RepositoryLint.run(settings, List.of(directory)));
    }

    assertThat(text.toString())
        .contains("bad/config.pbtxt")
        .contains("error")
        .contains(call == SpiCall.OPEN_BACKEND ? "cannot be loaded" : call.method());
  }
}

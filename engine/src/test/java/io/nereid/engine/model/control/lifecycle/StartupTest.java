package io.nereid.engine.model.control.lifecycle;

import static io.nereid.engine.model.control.lifecycle.ControlledRepository.config;
import static io.nereid.engine.model.control.lifecycle.ControlledRepository.ensemble;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.control.ControlMode;
import io.nereid.engine.model.control.LoadParameters;
import io.nereid.engine.model.control.TestControlSettings;
import io.nereid.engine.model.control.lifecycle.ModelLoads.Point;
import io.nereid.engine.telemetry.statistics.LifeCycleSnapshot.VersionState;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is loaded at the start, by control mode; the index; the server's readiness. */
class StartupTest extends LifecycleTests {
  private void restart(ControlMode mode, String... startupModels) {
    manager.close();
    manager = manager(repositories(), control(mode, List.of(startupModels), false));
  }

  @Test
  void inExplicitModeOnlyTheStartupModelsAreLoaded() {
    repository.model("a", 1).model("b", 1).model("c", 1);
    restart(ControlMode.EXPLICIT, "a", "c");

    assertThat(manager.loadAll()).isTrue();

    assertThat(index()).containsExactly("a 1 READY", "b", "c 1 READY");
    assertThat(engine.isReady()).isTrue();
  }

  @Test
  void inExplicitModeNothingIsLoadedWithoutStartupModels() {
    repository.model("a", 1);

    assertThat(manager.loadAll()).isTrue();

    assertThat(index()).containsExactly("a");
    assertThat(engine.isReady()).isTrue();
  }

  @Test
  void aStarStandsForAllModels() {
    repository.model("a", 1).model("b", 1).model("e", ensemble("a"), 1);
    restart(ControlMode.EXPLICIT, "*");

    assertThat(manager.loadAll()).isTrue();

    assertThat(index()).containsExactly("a 1 READY", "b 1 READY", "e 1 READY");
    manager.unload("e", true);
    awaitIndex("a 1 READY", "b 1 READY", "e 1 UNAVAILABLE unloaded");
  }

  @Test
  void oneThreadIsEnoughForAllModels() {
    repository.model("f", ensemble("e", "c"), 1).model("e", ensemble("a", "b"), 1);
    for (String model : List.of("a", "b", "c", "d")) {
      repository.model(model, config("version_policy { all {} }"), 1, 2);
    }
    manager.close();
    manager = manager(repositories(), TestControlSettings.of(1));

    assertThat(manager.loadAll()).isTrue();

    assertThat(index(true)).hasSize(10);
  }

  @Test
  void aStarWithOtherModelsIsRejected() {
    restart(ControlMode.EXPLICIT, "a", "*");

    InferenceException failure = failure(manager::loadAll);

    assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
    assertThat(failure)
        .hasMessage("Wildcard model name '*' must be the ONLY startup model if specified at all.");
  }

  @Test
  void aStartupEnsembleLoadsItsModels() {
    repository.model("a", 1).model("b", 1).model("e", ensemble("a"), 1);
    restart(ControlMode.EXPLICIT, "e");

    assertThat(manager.loadAll()).isTrue();

    assertThat(index()).containsExactly("a 1 READY", "b", "e 1 READY");
    manager.unload("e", true);
    awaitIndex("a 1 UNAVAILABLE unloaded", "b", "e 1 UNAVAILABLE unloaded");
  }

  @Test
  void anUnknownStartupModelIsAFailureAndTheOthersServe() {
    repository.model("a", 1);
    restart(ControlMode.EXPLICIT, "a", "unknown");

    assertThat(manager.loadAll()).isFalse();

    assertThat(index()).containsExactly("a 1 READY");
  }

  @Test
  void aFailedModelIsAFailureAndTheOthersServe() {
    repository.model("a", 1).model("b", 1).write("c/config.pbtxt", "backend: {");
    loads("b").fail(Point.LOAD, 1, InferenceException.invalid("no"));
    restart(ControlMode.NONE);

    assertThat(manager.loadAll()).isFalse();

    assertThat(index()).hasSize(3).startsWith("a 1 READY", "b 1 UNAVAILABLE Invalid argument: no");
    assertThat(index().getLast()).startsWith("c UNAVAILABLE Invalid argument: ");
    assertThat(engine.isReady()).isFalse();
    execute("a", "r");
  }

  @Test
  void aConfigurationThatCannotBeReadCountsAsAFailedLoadWithoutAVersion() {
    repository.model("m", 1).write("c/config.pbtxt", "backend: {").write("d/config.pbtxt", "x");
    restart(ControlMode.EXPLICIT, "m", "c");

    assertThat(manager.loadAll()).isFalse();

    assertThat(manager.lifeCycle().failedLoads()).isOne();
    assertThat(manager.lifeCycle().states())
        .contains(new VersionState("", "c", OptionalLong.empty(), "UNAVAILABLE"));
    loadFailure("d");
    loadFailure("unknown");
    assertThat(index()).anyMatch(row -> row.startsWith("d UNAVAILABLE Invalid argument"));
    assertThat(manager.lifeCycle().failedLoads()).isEqualTo(3);
  }

  @Test
  void aModelThatCannotBePolledIsUnknownAndDoesNotMatterForReadiness() {
    repository.model("m", 1).write("broken/config.pbtxt", "backend: {");
    restart(ControlMode.POLL);

    assertThat(manager.loadAll()).isFalse();

    assertThat(index().getFirst()).startsWith("broken UNAVAILABLE Invalid argument: ");
    assertThat(failure(() -> submit("broken", "r")))
        .hasMessage("Request for unknown model: 'broken' is not found");
    assertThat(engine.isReady()).isTrue();
  }

  @Test
  void anEnsembleThatLacksAModelIsUnknownAndDoesNotMatterForReadiness() {
    repository.model("m", 1).model("e", ensemble("absent"), 1);
    restart(ControlMode.NONE);

    assertThat(manager.loadAll()).isFalse();

    assertThat(index().getFirst()).startsWith("e UNAVAILABLE Invalid argument: ");
    assertThat(failure(() -> submit("e", "r")))
        .hasMessage("Request for unknown model: 'e' is not found");
    assertThat(engine.isReady()).isTrue();
  }

  @Test
  void aModelWithoutAVersionMattersForReadiness() {
    repository.model("m", 1).model("empty");
    restart(ControlMode.NONE);

    assertThat(manager.loadAll()).isFalse();

    assertThat(index().getFirst()).startsWith("empty UNAVAILABLE Invalid argument: ");
    assertThat(failure(() -> submit("empty", "r")))
        .hasMessageEndingWith(
            "'empty' has no available versions: it has failed to load, and the index of the"
                + " repository says why");
    assertThat(engine.isReady()).isFalse();
  }

  @Test
  void aModelWhoseNewConfigurationCannotBePolledServesOn() {
    repository.model("m", 1);
    restart(ControlMode.POLL);
    manager.loadAll();
    repository.write("m/config.pbtxt", "backend: {");

    manager.poll();
    manager.poll();

    assertThat(index()).containsExactly("m 1 READY");
    assertThat(engine.isReady()).isTrue();
    execute("m", "r");
  }

  @Test
  void aFailedModelMattersForReadinessAlsoIfItCannotBePolledLater() {
    repository.model("m", 1).model("n", 1);
    loads("m").fail(Point.LOAD, 1, InferenceException.invalid("no"));
    restart(ControlMode.POLL);
    manager.loadAll();
    repository.write("m/config.pbtxt", "backend: {");

    manager.poll();
    manager.poll();

    assertThat(index()).containsExactly("m 1 UNAVAILABLE Invalid argument: no", "n 1 READY");
    assertThat(engine.isReady()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(
      value = ControlMode.class,
      names = {"NONE", "POLL"})
  void onlyExplicitModeLetsClientsLoadAndUnload(ControlMode mode) {
    repository.model("m", 1);
    restart(mode);
    assertThat(manager.loadAll()).isTrue();

    var operations =
        List.<Runnable>of(
            () -> manager.load("m", LoadParameters.NONE),
            () -> manager.unload("m", false),
            () -> manager.unload("unknown", false));

    for (Runnable operation : operations) {
      InferenceException failure = failure(operation);
      assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
      assertThat(failure)
          .hasMessage(
              "explicit model load / unload is not allowed if polling is enabled: models are loaded"
                  + " by requests in the control mode 'explicit', and this is '"
                  + mode.name().toLowerCase(Locale.ROOT)
                  + "'");
    }
    assertThat(index()).containsExactly("m 1 READY");
  }

  @Test
  void withoutPollingChangesOfTheRepositoryAreIgnored() {
    repository.model("m", 1);
    restart(ControlMode.NONE);
    manager.loadAll();

    repository.version("m", 2).model("n", 1);

    assertThat(index()).containsExactly("m 1 READY", "n");
    execute("m", "r");
  }

  @Test
  void theIndexIsSortedAndShowsReadyVersionsOnlyOnRequest() {
    String all = "version_policy { all {} }";
    repository
        .model("b", config(all), 10, 9, 1)
        .model("a", 1)
        .model("Z", 1)
        .model("never", 1)
        .write("file.txt", "no model")
        .write(".hidden/config.pbtxt", "");
    load("b");
    load("Z");
    load("a");
    unload("a");
    awaitIndex(
        "Z 1 READY", "a 1 UNAVAILABLE unloaded", "b 1 READY", "b 9 READY", "b 10 READY", "never");

    assertThat(index(true)).containsExactly("Z 1 READY", "b 1 READY", "b 9 READY", "b 10 READY");
  }

  @Test
  void theModelsThatAreKnownAreThoseOfLoadsAndAreNotReadFromTheRepositories() {
    repository.model("b", config("version_policy { all {} }"), 10, 9).model("a", 1);
    repository.model("never", 1).model("broken", 1);
    loads("broken").fail(Point.LOAD, 1, InferenceException.invalid("no"));
    load("b");
    load("a");
    assertThat(loadFailure("broken")).hasMessageContaining("no");
    unload("a");
    awaitIndex(
        "a 1 UNAVAILABLE unloaded",
        "b 9 READY",
        "b 10 READY",
        "broken 1 UNAVAILABLE Invalid argument: no",
        "never");
    repository.delete("a");

    assertThat(known())
        .containsExactly(
            "a 1 UNAVAILABLE unloaded",
            "b 9 READY",
            "b 10 READY",
            "broken 1 UNAVAILABLE Invalid argument: no");
  }

  @Test
  void onlyVersionDirectoriesAreVersions() {
    repository.model("m", config("version_policy { all {} }"), 1);
    for (String other : List.of("02", "abc", "warmup", "1.5", "-3", "99999999999999999999")) {
      repository.directory("m/" + other);
    }

    load("m");

    assertThat(index()).containsExactly("m 1 READY");
  }

  @Test
  void aModelWhoseNameIsNotThatOfItsDirectoryIsNotLoaded() {
    repository.model("m", config("name: \"other\""), 1);

    assertThat(loadFailure("m"))
        .hasMessageStartingWith("failed to load 'm', failed to poll from model repository");
  }

  @Test
  void theServerIsNotReadyWhileAVersionLoads() {
    repository.model("m", 1);
    load("m");
    repository.version("m", 2);
    loads("m").hold(Point.LOAD, 2);
    Operation load = Operation.start(() -> load("m"));
    loads("m").awaitHeld(Point.LOAD, 2);

    assertThat(engine.isReady()).isFalse();

    loads("m").release(Point.LOAD, 2);
    load.join();
    assertThat(engine.isReady()).isTrue();
  }

  @Test
  void anUnloadedModelDoesNotMatterForReadiness() {
    repository.model("m", 1).model("n", 1);
    load("m");
    load("n");
    submitHeld("m", "held");

    unload("m");

    assertThat(index()).contains("m 1 UNLOADING");
    assertThat(engine.isReady()).isTrue();
    gate("m").openAll();
    awaitIndex("m 1 UNAVAILABLE unloaded", "n 1 READY");
    assertThat(engine.isReady()).isTrue();
  }

  @Test
  void aFailedModelMattersForReadinessUntilItIsUnloaded() {
    repository.model("m", 1).model("n", 1);
    load("n");
    loads("m").fail(Point.LOAD, 1, InferenceException.invalid("no"));
    loadFailure("m");
    assertThat(engine.isReady()).isFalse();

    unload("m");

    assertThat(engine.isReady()).isTrue();
    assertThat(index()).containsExactly("m 1 UNAVAILABLE unloaded", "n 1 READY");
  }

  @Test
  void anEnsembleThatFailsWithItsModelMattersForReadinessAtOnce() {
    repository.model("m", 1).model("e", ensemble(1, "", "m"), 1);
    load("e");
    submit("e", "held");
    gate("m").awaitBegun(1);
    repository.version("m", 2);

    load("m");

    assertThat(index()).contains("e 1 UNLOADING");
    assertThat(engine.isReady()).isFalse();
  }

  @Test
  void anUnhealthyInstanceMattersForReadiness() {
    repository.model("m", 1).model("e", ensemble("m"), 1);
    load("e");
    assertThat(engine.isReady()).isTrue();

    loads("m").healthy(false);

    await(() -> !engine.isReady(), "the health, for which readiness waits for a moment only");
    assertThat(engine.isReady("m", OptionalLong.empty())).isFalse();
    assertThat(engine.isReady("e", OptionalLong.of(1))).isFalse();
    loads("m").healthy(true);
    await(engine::isReady, "the health");
  }

  @Test
  void passiveInstancesAreOpenedAndExecuteNothing() {
    repository.model(
        "m", config("instance_group { name: \"p\" kind: KIND_CPU count: 1 passive: true }"), 1);
    load("m");
    assertThat(loads("m").copies().getFirst().openInstances()).isEqualTo(2);

    submitHeld("m", "a");
    submit("m", "b");
    gate("m").openAll();
    awaitSuccesses("m", 1, 2);

    assertThat(gate("m").executions())
        .extracting(execution -> execution.instance())
        .containsOnly("g_0");
  }
}

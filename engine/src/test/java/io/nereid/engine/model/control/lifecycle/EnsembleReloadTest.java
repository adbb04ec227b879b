package io.nereid.engine.model.control.lifecycle;

import static io.nereid.engine.model.control.lifecycle.ControlledRepository.config;
import static io.nereid.engine.model.control.lifecycle.ControlledRepository.ensemble;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.control.lifecycle.ModelLoads.Point;
import io.nereid.error.InferenceException;
import io.nereid.tck.scheduler.TestResponse;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Ensembles whose composing models are loaded, loaded again and changed. */
class EnsembleReloadTest extends LifecycleTests {
  private static final String TWO_OUTPUTS =
      config("output { name: \"OUT1\" data_type: TYPE_FP32 dims: 4 }")
          .replace("output {", "input { name: \"IN1\" data_type: TYPE_FP32 dims: 4 } output {");

  /** Of the newest version. */
  private LoadedModel ready(String model) {
    return registry.find(model, OptionalLong.empty());
  }

  private void executeEnsemble(String id, String... models) {
    TestResponse response = submit("e", id);
    for (String model : models) {
      gate(model).open(1);
    }
    assertThat(response.await().failure()).isEmpty();
  }

  @Test
  void anEnsembleIsReadyAfterTheModelsThatItLoads() {
    repository.model("a", 1).model("b", 1).model("e", ensemble("a", "b"), 1);
    loads("a").hold(Point.LOAD, 1);
    loads("b").hold(Point.OPEN, 1);

    Operation load = Operation.start(() -> load("e"));
    loads("a").awaitHeld(Point.LOAD, 1);
    loads("b").awaitHeld(Point.OPEN, 1);

    assertThat(engine.isReady("e", OptionalLong.empty())).isFalse();
    loads("a").release(Point.LOAD, 1);
    loads("b").release(Point.OPEN, 1);
    load.join();
    assertThat(index()).containsExactly("a 1 READY", "b 1 READY", "e 1 READY");
    executeEnsemble("r", "a", "b");
  }

  @Test
  void theModelsOfNestedEnsemblesAreLoadedToo() {
    repository.model("m", 1).model("inner", ensemble("m"), 1).model("e", ensemble("inner"), 1);

    load("e");

    assertThat(index()).containsExactly("e 1 READY", "inner 1 READY", "m 1 READY");
    executeEnsemble("r", "m");
  }

  @Test
  void anEnsembleUsesTheNewVersionOfAModelOnceThatIsReady() {
    repository.model("m", 1).model("e", ensemble("m"), 1);
    load("e");
    LoadedModel before = ready("e");
    TestResponse held = submit("e", "held");
    gate("m").awaitBegun(1);
    repository.version("m", 2);
    loads("m").hold(Point.LOAD, 2);

    Operation load = Operation.start(() -> load("m"));
    loads("m").awaitHeld(Point.LOAD, 2);

    assertThat(ready("e")).isEqualTo(before);
    TestResponse during = submit("e", "during");
    loads("m").release(Point.LOAD, 2);
    load.join();
    assertThat(ready("e")).isNotEqualTo(before);
    TestResponse after = submit("e", "after");
    gate("m").openAll();
    for (TestResponse response : List.of(held, during, after)) {
      assertThat(response.await().failure()).isEmpty();
    }
    assertThat(loads("m").executor("held").version()).isEqualTo(1);
    assertThat(loads("m").executor("during").version()).isEqualTo(1);
    assertThat(loads("m").executor("after").version()).isEqualTo(2);
    awaitIndex("e 1 READY", "m 1 UNAVAILABLE unloaded", "m 2 READY");
  }

  @Test
  void aRequestUsesTheModelsThatItsEnsembleBeganWith() {
    repository.model("a", 1).model("b", 1).model("e", ensemble("a", "b"), 1);
    load("e");
    TestResponse held = submit("e", "held");
    gate("a").awaitBegun(1);
    repository.version("a", 2).version("b", 2);

    load("e");

    TestResponse later = submit("e", "later");
    gate("a").openAll();
    gate("b").openAll();
    assertThat(held.await().failure()).isEmpty();
    assertThat(later.await().failure()).isEmpty();
    for (String model : List.of("a", "b")) {
      assertThat(loads(model).executor("held").version()).isEqualTo(1);
      assertThat(loads(model).executor("later").version()).isEqualTo(2);
    }
  }

  @Test
  void theModelsOfAnEnsembleSwitchTogetherWithIt() {
    repository.model("a", 1).model("b", 1).model("e", ensemble("a", "b"), 1);
    load("e");
    repository.version("a", 2).version("b", 2);
    loads("b").hold(Point.LOAD, 2);

    Operation load = Operation.start(() -> load("e"));
    loads("a").awaitLoaded(2);
    loads("b").awaitHeld(Point.LOAD, 2);

    assertThat(ready("a").key().version()).isEqualTo(1);
    executeEnsemble("during", "a", "b");
    assertThat(loads("a").executor("during").version()).isEqualTo(1);
    loads("b").release(Point.LOAD, 2);
    load.join();
    assertThat(ready("a").key().version()).isEqualTo(2);
    executeEnsemble("after", "a", "b");
    assertThat(loads("a").executor("after").version()).isEqualTo(2);
    assertThat(loads("b").executor("after").version()).isEqualTo(2);
  }

  @Test
  void anEnsembleServesOnIfAModelFailsToLoadAgain() {
    repository.model("a", 1).model("b", 1).model("e", ensemble("a", "b"), 1);
    load("e");
    LoadedModel before = ready("e");
    repository.version("a", 2).version("b", 2);
    loads("b").fail(Point.LOAD, 2, InferenceException.invalid("no"));

    load("e"); // itself unchanged

    assertThat(ready("e")).isNotEqualTo(before);
    executeEnsemble("r", "a", "b");
    assertThat(loads("a").executor("r").version()).isEqualTo(2);
    assertThat(loads("b").executor("r").version()).isEqualTo(1);
  }

  @Test
  void anEnsembleIsNotLoadedAgainForInstancesOfAModel() {
    repository.model("m", 1).model("e", ensemble("m"), 1);
    load("e");
    executeEnsemble("r", "m");
    LoadedModel before = ready("e");
    repository.model("m", config(2, ""));

    load("m");

    assertThat(ready("e")).isEqualTo(before);
    awaitSuccesses("e", 1, 1);
  }

  @Test
  void theStatisticsOfAnEnsembleBeginAtZeroWithItsModels() {
    repository.model("m", 1).model("e", ensemble("m"), 1);
    load("e");
    executeEnsemble("r", "m");
    repository.touch("m/1/model.bin");

    load("m");

    awaitSuccesses("e", 1, 0);
  }

  @Test
  void ensemblesOfEnsemblesFollowAModel() {
    repository.model("m", 1).model("inner", ensemble("m"), 1).model("e", ensemble("inner", "m"), 1);
    load("e");
    TestResponse held = submit("e", "held");
    gate("m").awaitBegun(1);
    repository.version("m", 2);

    load("m");

    TestResponse later = submit("e", "later");
    gate("m").openAll();
    assertThat(held.await().failure()).isEmpty();
    assertThat(later.await().failure()).isEmpty();
    assertThat(loads("m").copies(1).getFirst().executed()).containsExactly("held", "held");
    assertThat(loads("m").copies(2).getFirst().executed()).containsExactly("later", "later");
    awaitIndex("e 1 READY", "inner 1 READY", "m 1 UNAVAILABLE unloaded", "m 2 READY");
  }

  @Test
  void aStepOfAFixedVersionStaysOnThatVersion() {
    repository
        .model("m", config("version_policy { all {} }"), 1)
        .model("e", ensemble(1, "", "m"), 1);
    load("e");
    repository.version("m", 2);

    load("m");

    executeEnsemble("r", "m");
    assertThat(loads("m").executor("r").version()).isEqualTo(1);
  }

  @Test
  void anEnsembleWhoseFixedVersionLeavesIsUnavailableWithTheReason() {
    repository.model("m", 1).model("e", ensemble(1, "", "m"), 1);
    load("e");
    TestResponse held = submit("e", "held");
    gate("m").awaitBegun(1);
    repository.version("m", 2);

    load("m");

    assertThat(index()).containsExactly("e 1 UNLOADING", "m 1 UNLOADING", "m 2 READY");
    gate("m").openAll();
    assertThat(held.await().failure()).isEmpty();
    awaitIndex(
        "e 1 UNAVAILABLE Invalid argument: ensemble 'e' depends on 'm' whose required version 1 is"
            + " not loaded.",
        "m 1 UNAVAILABLE unloaded",
        "m 2 READY");
  }

  @Test
  void anEnsembleThatAModelFitsNoLongerIsUnavailableWithTheReason() {
    repository.model("m", 1).model("e", ensemble("m"), 1);
    load("e");
    repository.model("m", TWO_OUTPUTS);

    load("m");

    awaitIndex(
        "e 1 UNAVAILABLE Invalid argument: in ensemble e, input IN1 in model m is not mapped to any"
            + " ensemble tensors",
        "m 1 READY");
    assertThat(failure(() -> submit("e", "r"))).hasMessageContaining("has no available versions");
    assertThat(engine.isReady()).isFalse();
  }

  @Test
  void anEnsembleComesBackOnceItsModelFitsAgain() {
    repository.model("m", 1).model("e", ensemble("m"), 1);
    load("e");
    repository.model("m", TWO_OUTPUTS);
    load("m");
    repository.model("m", config(""));

    load("m");

    awaitIndex("e 1 READY", "m 1 READY");
    executeEnsemble("r", "m");
    assertThat(engine.isReady()).isTrue();
  }

  @Test
  void anEnsembleThatFailedToLoadIsLoadedWithItsCorrectedModel() {
    repository.model("m", TWO_OUTPUTS, 1).model("e", ensemble("m"), 1);
    assertThat(loadFailure("e")).hasMessageStartingWith("load failed for model 'e': ");
    repository.model("m", config(""));

    load("m");

    assertThat(index()).containsExactly("e 1 READY", "m 1 READY");
    executeEnsemble("r", "m");
  }

  @Test
  void anEnsembleThatFailedForAMissingModelIsLoadedWithIt() {
    repository.model("e", ensemble("m"), 1);
    assertThat(loadFailure("e"))
        .hasMessage(
            "load failed for model 'e': ensemble e contains models that are not available or"
                + " ambiguous: m\n");
    repository.model("m", 1);

    load("m");

    assertThat(index()).containsExactly("e 1 READY", "m 1 READY");
  }

  @Test
  void anEnsembleIsNotLoadedIfItsModelFails() {
    repository.model("m", 1).model("e", ensemble("m"), 1);
    loads("m").fail(Point.LOAD, 1, InferenceException.invalid("no"));

    assertThat(loadFailure("e")).hasMessageContaining("ensemble 'e' depends on 'm'");

    assertThat(index())
        .hasSize(2)
        .satisfies(rows -> assertThat(rows.getFirst()).startsWith("e UNAVAILABLE"))
        .satisfies(rows -> assertThat(rows.getLast()).startsWith("m 1 UNAVAILABLE"));
    loads("m").succeed(Point.LOAD, 1);
    load("m");
    assertThat(index()).containsExactly("e 1 READY", "m 1 READY");
  }

  @Test
  void aChangedEnsembleIsLoadedAgainAndItsModelsStay() {
    repository.model("a", 1).model("b", 1).model("e", ensemble("a", "b"), 1);
    load("e");
    repository.model("e", ensemble("b"));

    load("e");

    executeEnsemble("r", "b");
    assertThat(loads("a").copies()).hasSize(1).allMatch(copy -> copy.executed().isEmpty());
    assertThat(loads("b").copies()).hasSize(1);
  }

  @Test
  void anEnsembleServesOnIfItsNewConfigurationFails() {
    repository.model("m", 1).model("e", ensemble("m"), 1);
    load("e");
    repository.model("e", ensemble("m", "absent"));

    assertThat(loadFailure("e")).hasMessageContaining("not available or ambiguous: absent");

    assertThat(index()).containsExactly("e 1 READY", "m 1 READY");
    executeEnsemble("before", "m");
    repository.version("m", 2);
    load("m");
    executeEnsemble("after", "m");
    assertThat(loads("m").executor("after").version()).isEqualTo(2);
  }

  @Test
  void anEnsembleServesInItsNewFormOnceItsModelsAllow() {
    repository.model("m", 1).model("e", ensemble("m"), 1);
    load("e");
    repository.model("e", ensemble("m", "late"));
    loadFailure("e");
    repository.model("late", 1);

    load("late");

    executeEnsemble("r", "m", "late");
    assertThat(loads("late").executor("r").version()).isEqualTo(1);
  }

  @Test
  void anEnsembleInItsFormerFormFollowsTheModelsOfThatForm() {
    repository.model("m", 1).model("e", ensemble("m"), 1);
    load("e");
    repository.model("e", ensemble("absent"));
    loadFailure("e");
    repository.version("m", 2);

    load("m");

    executeEnsemble("r", "m");
    assertThat(loads("m").executor("r").version()).isEqualTo(2);
    unload("m");
    awaitIndex("e 1 UNAVAILABLE unloaded", "m 1 UNAVAILABLE unloaded", "m 2 UNAVAILABLE unloaded");
  }

  @Test
  void anEnsembleInItsFormerFormDoesNotNeedTheModelsOfTheNewOne() {
    repository.model("a", 1).model("b", 1).model("e", ensemble("a"), 1);
    load("e");
    load("b");
    repository.model("e", ensemble("b", "absent"));
    loadFailure("e");

    unload("b");

    awaitIndex("a 1 READY", "b 1 UNAVAILABLE unloaded", "e 1 READY");
    executeEnsemble("r", "a");
  }

  @Test
  void anEnsembleBecomesAModelAndTheReverse() {
    repository.model("m", 1).model("e", ensemble("m"), 1);
    load("e");
    repository.model("e", config(""));
    load("e");
    execute("e", "model");
    repository.version("m", 2);
    load("m");
    assertThat(loads("e").copies()).hasSize(1);
    repository.model("e", ensemble("m"));

    load("e");

    executeEnsemble("ensemble", "m");
    assertThat(loads("m").executor("ensemble").version()).isEqualTo(2);
  }

  @Test
  void anEnsembleThatFailsToBecomeAModelFollowsItsModels() {
    repository.model("m", 1).model("e", ensemble("m"), 1);
    load("e");
    repository.model("e", config(""));
    loads("e").fail(Point.LOAD, 1, InferenceException.invalid("no"));
    loadFailure("e");
    repository.version("m", 2);

    load("m");

    executeEnsemble("r", "m");
    assertThat(loads("m").executor("r").version()).isEqualTo(2);
    assertThat(index()).contains("e 1 READY", "m 2 READY");
  }
}

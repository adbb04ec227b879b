package io.nereid.engine.model.control.lifecycle;

import static io.nereid.engine.model.control.lifecycle.ControlledRepository.ensemble;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.scheduler.TestResponse;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Ensembles that are unloaded, themselves or because of a composing model. */
class EnsembleUnloadTest extends LifecycleTests {
  private void unloadWithModels(String model) {
    manager.unload(model, true);
  }

  @Test
  void anEnsembleIsUnloadedWithAModelThatItIsComposedOf() {
    repository.model("a", 1).model("b", 1).model("e", ensemble("a", "b"), 1);
    load("e");

    unload("a");

    awaitIndex("a 1 UNAVAILABLE unloaded", "b 1 READY", "e 1 UNAVAILABLE unloaded");
    assertThat(failure(() -> submit("e", "r"))).hasMessageContaining("has no available versions");
    assertThat(failure(() -> submit("e", 1, "r"))).hasMessageContaining("is not at ready state");
  }

  @Test
  void itsRequestsFinishFirst() {
    repository.model("a", 1).model("b", 1).model("e", ensemble("a", "b"), 1);
    load("e");
    TestResponse held = submit("e", "held");
    gate("a").awaitBegun(1);

    unload("b"); // which the request has not reached

    assertThat(index()).containsExactly("a 1 READY", "b 1 UNLOADING", "e 1 UNLOADING");
    gate("a").openAll();
    gate("b").openAll();
    assertThat(held.await().failure()).isEmpty();
    assertThat(loads("b").executor("held").version()).isEqualTo(1);
    awaitIndex("a 1 READY", "b 1 UNAVAILABLE unloaded", "e 1 UNAVAILABLE unloaded");
  }

  @Test
  void anEnsembleThatWasUnloadedWithAModelComesBackWithIt() {
    repository.model("m", 1).model("inner", ensemble("m"), 1).model("e", ensemble("inner"), 1);
    load("e");
    unload("m");
    awaitIndex(
        "e 1 UNAVAILABLE unloaded", "inner 1 UNAVAILABLE unloaded", "m 1 UNAVAILABLE unloaded");

    load("m");

    assertThat(index()).containsExactly("e 1 READY", "inner 1 READY", "m 1 READY");
  }

  @Test
  void anEnsembleThatAClientUnloadedDoesNotComeBackWithItsModel() {
    repository.model("m", 1).model("e", ensemble("m"), 1);
    load("e");
    unload("m");
    unload("e");

    load("m");

    awaitIndex("e 1 UNAVAILABLE unloaded", "m 1 READY");
  }

  @Test
  void anEnsembleComesBackIfTheModelThatFailedIsLoadedAgain() {
    repository.model("m", 1).model("e", ensemble("m"), 1);
    load("e");
    unload("m");
    repository.write("m/config.pbtxt", "backend: \"missing\"");
    assertThat(loadFailure("m")).hasMessageStartingWith("load failed for model 'm'");
    assertThat(engine.isReady("e", OptionalLong.empty())).isFalse();
    repository.model("m", ControlledRepository.config(""));

    load("m");

    assertThat(index()).containsExactly("e 1 READY", "m 1 READY");
  }

  @Test
  void theModelsOfAnUnloadedEnsembleServeOn() {
    repository.model("m", 1).model("e", ensemble("m"), 1);
    load("e");

    unload("e");

    awaitIndex("e 1 UNAVAILABLE unloaded", "m 1 READY");
    execute("m", "r");
  }

  @Test
  void theModelsThatWereLoadedForAnEnsembleAreUnloadedWithItOnRequest() {
    repository.model("a", 1).model("b", 1).model("e", ensemble("a", "b"), 1);
    load("b");
    load("e");

    unloadWithModels("e");

    awaitIndex("a 1 UNAVAILABLE unloaded", "b 1 READY", "e 1 UNAVAILABLE unloaded");
  }

  @Test
  void aModelThatIsLoadedForItselfLaterIsNotUnloadedWithAnEnsemble() {
    repository.model("m", 1).model("e", ensemble("m"), 1);
    load("e");
    load("m");

    unloadWithModels("e");

    awaitIndex("e 1 UNAVAILABLE unloaded", "m 1 READY");
  }

  @Test
  void aModelThatAnotherEnsembleUsesIsNotUnloadedWithTheFirst() {
    repository
        .model("m", 1)
        .model("n", 1)
        .model("e", ensemble("m", "n"), 1)
        .model("f", ensemble("m"), 1);
    load("e");
    load("f");

    unloadWithModels("e");

    awaitIndex("e 1 UNAVAILABLE unloaded", "f 1 READY", "m 1 READY", "n 1 UNAVAILABLE unloaded");
    unloadWithModels("f");
    awaitIndex(
        "e 1 UNAVAILABLE unloaded",
        "f 1 UNAVAILABLE unloaded",
        "m 1 UNAVAILABLE unloaded",
        "n 1 UNAVAILABLE unloaded");
  }

  @Test
  void theModelsOfNestedEnsemblesAreUnloadedToo() {
    repository.model("m", 1).model("inner", ensemble("m"), 1).model("e", ensemble("inner"), 1);
    load("e");

    unloadWithModels("e");

    awaitIndex(
        "e 1 UNAVAILABLE unloaded", "inner 1 UNAVAILABLE unloaded", "m 1 UNAVAILABLE unloaded");
  }

  @Test
  void theModelsOfANestedEnsembleThatWasLoadedForItselfServeOn() {
    repository.model("m", 1).model("inner", ensemble("m"), 1).model("e", ensemble("inner"), 1);
    load("inner");
    load("e");

    unloadWithModels("e");

    awaitIndex("e 1 UNAVAILABLE unloaded", "inner 1 READY", "m 1 READY");
  }

  @Test
  void aModelIsUnloadedOnceItsLastEnsembleIsUnloadedAgain() {
    repository.model("m", 1).model("e", ensemble("m"), 1);
    load("e");
    unloadWithModels("e");
    load("e");
    awaitIndex("e 1 READY", "m 1 READY");

    unloadWithModels("e");

    awaitIndex("e 1 UNAVAILABLE unloaded", "m 1 UNAVAILABLE unloaded");
    assertThat(loads("m").copies()).hasSize(2);
  }
}

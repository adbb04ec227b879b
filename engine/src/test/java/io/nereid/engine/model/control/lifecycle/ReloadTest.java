package io.nereid.engine.model.control.lifecycle;

import static io.nereid.engine.model.control.lifecycle.ControlledRepository.config;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.control.lifecycle.ModelLoads.Point;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tck.scheduler.TestResponse;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** One model that is loaded, loaded again and unloaded. */
class ReloadTest extends LifecycleTests {
  private static final String ALL = config("version_policy { all {} }");

  @Test
  void aModelIsLoadingUntilItIsReady() {
    repository.model("m", 1);
    loads("m").hold(Point.LOAD, 1);
    assertThat(index()).containsExactly("m");

    Operation load = Operation.start(() -> load("m"));
    loads("m").awaitHeld(Point.LOAD, 1);

    assertThat(index()).containsExactly("m 1 LOADING");
    assertThat(engine.isReady("m", OptionalLong.empty())).isFalse();
    assertThat(failure(() -> submit("m", "r"))).hasMessageContaining("has no available versions");
    assertThat(failure(() -> submit("m", 1, "r")).code()).isEqualTo(StatusCode.UNAVAILABLE);
    assertThat(load.isDone()).isFalse();
    loads("m").release(Point.LOAD, 1);
    load.join();
    assertThat(index()).containsExactly("m 1 READY");
    execute("m", "r");
  }

  @Test
  void theFormerVersionServesUntilTheNewOneIsReady() {
    repository.model("m", 1);
    load("m");
    repository.version("m", 2);
    loads("m").hold(Point.OPEN, 2);

    Operation load = Operation.start(() -> load("m"));
    loads("m").awaitHeld(Point.OPEN, 2);

    assertThat(index()).containsExactly("m 1 READY", "m 2 LOADING");
    assertThat(failure(() -> submit("m", 2, "r")))
        .hasMessage("Request for unknown model: 'm' version 2 is not at ready state");
    execute("m", "during");
    assertThat(loads("m").executor("during").version()).isEqualTo(1);
    loads("m").release(Point.OPEN, 2);
    load.join();
    execute("m", "after");
    assertThat(loads("m").executor("after").version()).isEqualTo(2);
    awaitIndex("m 1 UNAVAILABLE unloaded", "m 2 READY");
  }

  @Test
  void aRequestEndsOnTheVersionThatItBeganOn() {
    repository.model("m", 1);
    load("m");
    TestResponse held = submitHeld("m", "held");
    TestResponse queued = submit("m", "queued");
    repository.version("m", 2);

    load("m");

    TestResponse later = submitHeld("m", "later");
    assertThat(index()).containsExactly("m 1 UNLOADING", "m 2 READY");
    assertThat(failure(() -> submit("m", 1, "r")))
        .hasMessage("Request for unknown model: 'm' version 1 is not at ready state");
    gate("m").openAll();
    assertThat(held.await().failure()).isEmpty();
    assertThat(queued.await().failure()).isEmpty();
    assertThat(later.await().failure()).isEmpty();
    awaitIndex("m 1 UNAVAILABLE unloaded", "m 2 READY");
    assertThat(loads("m").executor("held").version()).isEqualTo(1);
    assertThat(loads("m").executor("queued").version()).isEqualTo(1);
    assertThat(loads("m").executor("later").version()).isEqualTo(2);
  }

  @Test
  void theFormerVersionServesOnIfTheNewOneFails() {
    repository.model("m", 1);
    load("m");
    repository.version("m", 2);
    loads("m").fail(Point.OPEN, 2, InferenceException.unavailable("no memory"));

    InferenceException failure = loadFailure("m");

    assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
    assertThat(failure)
        .hasMessage(
            "load failed for model 'm': version 2 is at UNAVAILABLE state: Unavailable: no"
                + " memory;\n");
    assertThat(index()).containsExactly("m 1 READY", "m 2 UNAVAILABLE Unavailable: no memory");
    execute("m", "r");
    assertThat(loads("m").copies(1)).hasSize(1);
  }

  @Test
  void theFormerCopyServesOnIfTheSameVersionFailsToLoadAgain() {
    repository.model("m", 1);
    load("m");
    repository.touch("m/1/model.bin");
    loads("m").fail(Point.LOAD, 1, InferenceException.invalid("not a model"));

    assertThat(loadFailure("m"))
        .hasMessage(
            "load failed for model 'm': version 1 is at UNAVAILABLE state: Invalid argument: not a"
                + " model;\n");

    assertThat(index()).containsExactly("m 1 READY");
    execute("m", "r");
    assertThat(loads("m").copies().getFirst().executed()).containsExactly("r");
  }

  @Test
  void allVersionsOfALoadSucceedOrNone() {
    repository.model("m", ALL, 1);
    load("m");
    repository.version("m", 2).version("m", 3).version("m", 4);
    loads("m").fail(Point.LOAD, 2, InferenceException.invalid("no"));
    loads("m").fail(Point.OPEN, 4, InferenceException.internal("never"));

    assertThat(loadFailure("m"))
        .hasMessage(
            "load failed for model 'm': version 2 is at UNAVAILABLE state: Invalid argument: no;version"
                + " 4 is at UNAVAILABLE state: Internal: never;\n");

    assertThat(index())
        .containsExactly(
            "m 1 READY",
            "m 2 UNAVAILABLE Invalid argument: no",
            "m 3 UNAVAILABLE unloaded",
            "m 4 UNAVAILABLE Internal: never");
    loads("m").awaitClosed(loads("m").copies(3).getFirst());
    execute("m", "r");
    assertThat(loads("m").executor("r").version()).isEqualTo(1);
  }

  @Test
  void aFailedLoadIsTriedAgainByTheNext() {
    repository.model("m", ALL, 1, 2);
    loads("m").fail(Point.LOAD, 2, InferenceException.invalid("no"));
    loadFailure("m");
    loadFailure("m");
    assertThat(loads("m").copies(1)).hasSize(2);
    loads("m").succeed(Point.LOAD, 2);

    load("m");

    assertThat(index()).containsExactly("m 1 READY", "m 2 READY");
  }

  @Test
  void aLoadOfAnUnchangedModelDoesNothing() {
    repository.model("m", ALL, 1, 2);
    load("m");
    execute("m", "r");

    load("m");

    assertThat(loads("m").copies()).hasSize(2);
    awaitSuccesses("m", 2, 1);
  }

  @Test
  void anUnloadedModelIsLoadedAgain() {
    repository.model("m", 1);
    load("m");
    unload("m");
    awaitIndex("m 1 UNAVAILABLE unloaded");
    assertThat(failure(() -> submit("m", "r"))).hasMessageContaining("has no available versions");

    load("m");

    assertThat(index()).containsExactly("m 1 READY");
    execute("m", "r");
    assertThat(loads("m").copies()).hasSize(2);
  }

  @Test
  void anUnloadedModelFinishesItsRequests() {
    repository.model("m", 1);
    load("m");
    TestResponse held = submitHeld("m", "held");
    TestResponse queued = submit("m", "queued");

    unload("m");

    assertThat(index()).containsExactly("m 1 UNLOADING");
    gate("m").openAll();
    assertThat(held.await().failure()).isEmpty();
    assertThat(queued.await().failure()).isEmpty();
    awaitIndex("m 1 UNAVAILABLE unloaded");
  }

  @Test
  void aModelIsLoadedAgainWhileItsFormerCopyFinishesItsRequests() {
    repository.model("m", 1);
    load("m");
    TestResponse held = submitHeld("m", "held");
    unload("m");

    load("m");

    assertThat(index()).containsExactly("m 1 READY");
    TestResponse later = submitHeld("m", "later");
    assertThat(loads("m").copies()).hasSize(2).noneMatch(ModelLoads.Copy::isClosedOnce);
    gate("m").openAll();
    assertThat(held.await().failure()).isEmpty();
    assertThat(later.await().failure()).isEmpty();
    loads("m").awaitClosed(loads("m").executor("held"));
    assertThat(index()).containsExactly("m 1 READY");
  }

  @Test
  void anUnknownModelIsUnloadedWithoutEffect() {
    unload("unknown");
    repository.model("never_loaded", 1);
    unload("never_loaded");

    assertThat(index()).containsExactly("never_loaded");
  }

  @Test
  void anUnknownModelIsNotLoaded() {
    InferenceException failure = loadFailure("unknown");

    assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
    assertThat(failure)
        .hasMessageStartingWith("failed to load 'unknown', failed to poll from model repository");
  }

  @Test
  void aConfigurationThatCannotBeReadChangesNothing() {
    repository.model("m", 1);
    load("m");
    repository.write("m/config.pbtxt", "backend: {");

    InferenceException failure = loadFailure("m");

    assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
    assertThat(failure)
        .hasMessageStartingWith("failed to load 'm', failed to poll from model repository");
    assertThat(index()).containsExactly("m 1 READY");
    execute("m", "r");
  }

  @Test
  void aModelWhoseDirectoryIsGoneServesOnUntilItIsUnloaded() {
    repository.model("m", 1);
    load("m");
    repository.delete("m");
    assertThat(loadFailure("m")).hasMessageContaining("failed to poll");
    execute("m", "r");
    assertThat(index()).isEmpty();

    unload("m");

    assertThat(failure(() -> submit("m", "r"))).hasMessageContaining("has no available versions");
  }

  @Test
  void aVersionPolicyThatLeavesNoVersionFailsTheLoad() {
    repository.model("m", config("version_policy { specific { versions: [ 9 ] } }"), 1);

    assertThat(loadFailure("m"))
        .hasMessage(
            "load failed for model 'm': at least one version must be available under the version"
                + " policy of model 'm'\n");

    assertThat(index())
        .containsExactly(
            "m UNAVAILABLE Invalid argument: at least one version must be available under the"
                + " version policy of model 'm'");
  }
}

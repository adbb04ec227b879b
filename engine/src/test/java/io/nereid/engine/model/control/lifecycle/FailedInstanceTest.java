package io.nereid.engine.model.control.lifecycle;

import static io.nereid.engine.model.control.lifecycle.ControlledRepository.config;
import static io.nereid.engine.model.control.lifecycle.ControlledRepository.ensemble;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.control.lifecycle.ModelLoads.Point;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tck.scheduler.TestResponse;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** A model version of which an instance is not healthy any more after a batch has failed. */
class FailedInstanceTest extends LifecycleTests {
  private static final String MESSAGE =
      "model 'm' is unavailable since instance 'g_0' failed: lost";
  private static final String ROW = "m 1 UNAVAILABLE Unavailable: " + MESSAGE;

  /** Has every batch of a version of m fail from now on, on an instance that is not healthy. */
  private static void breakDown(long version) {
    loads("m").fail(Point.EXECUTE, version, InferenceException.internal("lost"));
    loads("m").healthy(false);
  }

  private static void repair(long version) {
    loads("m").succeed(Point.EXECUTE, version);
    loads("m").healthy(true);
  }

  private void load(long... versions) {
    repository.model("m", config(""), versions);
    load("m");
    gate("m").openAll();
  }

  private void failOne() {
    breakDown(1);
    assertThat(submit("m", 1, "failing").await().failure())
        .hasValueSatisfying(failure -> {
          assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
          assertThat(failure).hasMessage("lost");
        });
  }

  @Test
  void isUnavailableWithTheFailureAsTheReason() {
    load(1);

    failOne();

    assertThat(index()).containsExactly(ROW);
    assertThat(index(true)).isEmpty();
    assertThat(engine.isReady()).isFalse();
    assertThat(engine.statistics()).isEmpty();
  }

  /** As when another instance has broken their device, and a request is wrong in any case. */
  @Test
  void theReasonOfTheInstancePrecedesTheFailureOfTheBatch() {
    load(1);
    loads("m").fail(Point.EXECUTE, 1, InferenceException.internal("wrong shape"));
    loads("m").unhealthy("lost");

    assertThat(submit("m", 1, "wrong").await().failure().orElseThrow()).hasMessage("wrong shape");

    assertThat(index()).containsExactly(ROW);
  }

  @Test
  void rejectsRequestsWithoutExecutingThem() {
    load(1);
    var found = registry.find("m", OptionalLong.empty());
    failOne();

    for (Runnable request :
        new Runnable[] {() -> submit("m", "newest"), () -> submit("m", 1, "named")}) {
      InferenceException failure = failure(request);
      assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
      assertThat(failure).hasMessage(MESSAGE);
    }
    TestResponse late = submit(found, OptionalLong.empty(), "found before");

    assertThat(late.await().failure().orElseThrow()).hasMessage(MESSAGE);
    assertThat(loads("m").copies().getFirst().executed()).containsExactly("failing");
  }

  @Test
  void failsTheRequestsThatWaitForItsInstance() {
    load(1);
    loads("m").hold(Point.EXECUTE, 1);
    TestResponse held = submit("m", "held");
    loads("m").awaitHeld(Point.EXECUTE, 1);
    TestResponse waiting = submit("m", "waiting");
    breakDown(1);

    loads("m").release(Point.EXECUTE, 1);

    assertThat(held.await().failure().orElseThrow()).hasMessage("lost");
    assertThat(waiting.await().failure().orElseThrow()).hasMessage(MESSAGE);
    assertThat(loads("m").copies().getFirst().executed()).containsExactly("held");
  }

  @Test
  void staysReadyIfItsInstanceIsHealthyAfterAFailure() {
    load(1);
    loads("m").fail(Point.EXECUTE, 1, InferenceException.internal("lost"));

    assertThat(submit("m", "a").await().failure()).isPresent();

    loads("m").succeed(Point.EXECUTE, 1);
    assertThat(index()).containsExactly("m 1 READY");
    execute("m", "b");
  }

  @Test
  void isUnavailableEvenIfItsInstanceSaysLaterThatItIsHealthy() {
    load(1);
    failOne();

    repair(1);

    assertThat(index()).containsExactly(ROW);
  }

  @Test
  void servesAgainOnceItIsLoadedAgain() {
    load(1);
    failOne();
    repair(1);

    load("m");

    assertThat(index()).containsExactly("m 1 READY");
    execute("m", "again");
    assertThat(loads("m").copies()).hasSize(2);
    loads("m").awaitClosed(loads("m").copies().getFirst());
    assertThat(engine.isReady()).isTrue();
  }

  @Test
  void staysUnavailableIfItCannotBeLoadedAgain() {
    load(1);
    failOne();
    loads("m").fail(Point.LOAD, 1, InferenceException.unavailable("no device"));

    assertThat(loadFailure("m")).hasMessageContaining("no device");

    assertThat(index()).containsExactly(ROW);
    assertThat(failure(() -> submit("m", "a"))).hasMessage(MESSAGE);
  }

  @Test
  void canBeUnloaded() {
    load(1);
    failOne();

    unload("m");

    awaitIndex("m 1 UNAVAILABLE unloaded");
  }

  @Test
  void anotherVersionServesOn() {
    repository.model("m", config("version_policy { all {} }"), 1, 2);
    load("m");
    gate("m").openAll();
    loads("m").fail(Point.EXECUTE, 2, InferenceException.internal("lost"));
    loads("m").healthy(false);
    assertThat(submit("m", "failing").await().failure()).isPresent();
    loads("m").healthy(true);

    execute("m", "to the other version");

    assertThat(index()).containsExactly("m 1 READY", ROW.replace("m 1", "m 2"));
    assertThat(engine.readyVersions("m", OptionalLong.empty())).containsExactly(1L);
  }

  @Test
  void failsTheRequestsOfEnsemblesUntilItIsLoadedAgain() {
    repository.model("m", 1).model("e", ensemble("m"), 1);
    load("e");
    gate("m").openAll();
    failOne();

    assertThat(submit("e", "a").await().failure().orElseThrow()).hasMessageContaining(MESSAGE);

    repair(1);
    load("m");
    assertThat(submit("e", "b").await().failure()).isEmpty();
  }
}

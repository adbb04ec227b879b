package io.nereid.engine.model.control.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.Readiness;
import io.nereid.engine.model.config.ConfigSettings;
import io.nereid.engine.model.control.ControlMode;
import io.nereid.engine.model.control.ControlSettings;
import io.nereid.engine.model.control.lifecycle.ModelLoads.Point;
import io.nereid.engine.model.control.operation.LoadLimits;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Backends that break their contract: their calls throw anything, or do not return. */
class FailingBackendTest extends LifecycleTests {
  @ParameterizedTest
  @EnumSource(
      value = Point.class,
      names = {"LOAD", "ALLOCATOR", "OPEN"})
  void anErrorOfTheBackendFailsTheLoadAndLeavesNothingOpen(Point point) {
    repository.model("m", 1);
    load("m");
    repository.version("m", 2);
    loads("m").fail(point, 2, new LinkageError("no such symbol"));

    assertThat(loadFailure("m"))
        .hasMessageStartingWith(
            "load failed for model 'm': version 2 is at UNAVAILABLE state: Internal: ")
        .hasMessageContaining("no such symbol");

    assertThat(index()).hasSize(2).contains("m 1 READY");
    execute("m", "r");
    assertThat(loads("m").copies(2)).hasSize(1).allMatch(ModelLoads.Copy::isClosedOnce);
  }

  @ParameterizedTest
  @EnumSource(
      value = Point.class,
      names = {"LOAD", "ALLOCATOR", "OPEN"})
  void aLoadWithoutMemoryIsAnsweredAsALackOfTheServer(Point point) {
    repository.model("m", 1);
    load("m");
    repository.version("m", 2);
    loads("m").fail(point, 2, new OutOfMemoryError("Java heap space"));

    InferenceException failure = loadFailure("m");

    assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
    assertThat(failure)
        .hasMessage(
            "load failed for model 'm': version 2 is at UNAVAILABLE state: Unavailable: the server"
                + " has too little memory to load it: Java heap space;\n");
    execute("m", "r");
    assertThat(loads("m").copies(2)).hasSize(1).allMatch(ModelLoads.Copy::isClosedOnce);
  }

  @ParameterizedTest
  @EnumSource(
      value = Point.class,
      names = {"CLOSE", "CLOSE_INSTANCE"})
  void aModelThatFailsToCloseIsUnloaded(Point point) {
    repository.model("m", 1);
    load("m");
    loads("m").fail(point, 1, new IllegalStateException("cannot close"));

    unload("m");

    awaitIndex("m 1 UNAVAILABLE unloaded");
    loads("m").succeed(point, 1);
    load("m");
    execute("m", "r");
  }

  @Test
  void anErrorWhileAModelClosesEndsLikeAnyFailure() {
    repository.model("m", 1);
    load("m");
    loads("m").fail(Point.CLOSE, 1, new LinkageError("no such symbol"));

    unload("m");

    awaitIndex("m 1 UNAVAILABLE unloaded");
  }

  @Test
  void aModelThatDoesNotCloseIsUnloadingAndDisturbsNoOther() {
    repository.model("m", 1).model("n", 1);
    load("m");
    load("n");
    loads("m").hold(Point.CLOSE, 1);
    unload("m");
    loads("m").awaitHeld(Point.CLOSE, 1);
    assertThat(index()).containsExactly("m 1 UNLOADING", "n 1 READY");

    load("m");
    unload("n");
    load("n");

    assertThat(index()).containsExactly("m 1 READY", "n 1 READY");
    execute("m", "r");
    loads("m").release(Point.CLOSE, 1);
    loads("m").awaitClosed(loads("m").copies().getFirst());
    assertThat(index()).containsExactly("m 1 READY", "n 1 READY");
  }

  @Test
  void aVersionThatWasLoadedInVainAndDoesNotCloseHoldsUpNoOperation() {
    repository.model("m", ControlledRepository.config("version_policy { all {} }"), 1, 2);
    loads("m").hold(Point.CLOSE, 1);
    loads("m").fail(Point.OPEN, 2, new IllegalStateException("no"));

    assertThat(loadFailure("m")).hasMessageContaining("version 2 is at UNAVAILABLE state");

    loads("m").awaitHeld(Point.CLOSE, 1);
    loads("m").succeed(Point.OPEN, 2);
    load("m");
    execute("m", "r");
  }

  @Test
  void aFailedVersionIsTriedAgainAsOftenAsTheOperatorAllows() {
    manager.close();
    manager =
        manager(
            repositories(),
            new ControlSettings(
                ControlMode.EXPLICIT,
                List.of(),
                Duration.ZERO,
                Readiness.SERVING,
                false,
                new ControlSettings.Loads(4, LoadLimits.DEFAULT, 2),
                ConfigSettings.DEFAULT));
    repository.model("m", 1).model("n", 1);
    failFirst("m", 2);
    failFirst("n", 3);

    load("m");
    assertThat(loadFailure("n")).hasMessageContaining("not yet");

    assertThat(loads("m").copies()).hasSize(3);
    assertThat(loads("n").copies()).hasSize(3);
    assertThat(index()).first().isEqualTo("m 1 READY");
  }

  private static void failFirst(String model, int loads) {
    var left = new AtomicInteger(loads);
    loads(model)
        .run(
            Point.OPEN,
            1,
            () -> {
              if (left.getAndDecrement() > 0) {
                throw new IllegalStateException("not yet");
              }
            });
  }
}

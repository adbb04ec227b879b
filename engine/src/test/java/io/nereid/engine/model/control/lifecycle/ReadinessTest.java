package io.nereid.engine.model.control.lifecycle;

import static io.nereid.engine.model.control.lifecycle.ControlledRepository.ensemble;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.Readiness;
import io.nereid.engine.model.control.ControlMode;
import io.nereid.engine.model.control.lifecycle.ModelLoads.Point;
import io.nereid.error.InferenceException;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The server's readiness once its models have served: what has served serves. The table of
 * docs/protocol.md.
 */
class ReadinessTest extends LifecycleTests {
  private void start(ControlMode mode, String... startupModels) {
    manager.close();
    manager = manager(repositories(), control(mode, List.of(startupModels), false));
    boolean _ = manager.loadAll();
  }

  private void assertReady(boolean expected, boolean withEveryModel) {
    assertThat(engine.isReady()).isEqualTo(expected);
    assertThat(registry.obstacle(Readiness.EVERY_MODEL).isEmpty()).isEqualTo(withEveryModel);
    assertThat(registry.obstacle(Readiness.ACCEPTING)).isEmpty();
  }

  @Test
  void aVersionThatDoesNotLoadChangesNothingWhileTheFormerServes() {
    repository.model("m", 1);
    start(ControlMode.POLL);
    repository.version("m", 2);
    loads("m").fail(Point.LOAD, 2, InferenceException.invalid("broken"));

    manager.poll();
    manager.poll();

    assertThat(index()).contains("m 1 READY", "m 2 UNAVAILABLE Invalid argument: broken");
    execute("m", "r");
    assertReady(true, false);
  }

  @Test
  void aNewModelThatDoesNotLoadChangesNothing() {
    repository.model("m", 1);
    start(ControlMode.POLL);
    repository.model("n", 1);
    loads("n").fail(Point.LOAD, 1, InferenceException.invalid("broken"));

    manager.poll();
    manager.poll();

    assertReady(true, false);
  }

  @Test
  void aLoadThatRunsChangesNothing() {
    repository.model("m", 1);
    start(ControlMode.EXPLICIT, "m");
    repository.version("m", 2);
    loads("m").hold(Point.LOAD, 2);
    Operation load = Operation.start(() -> load("m"));
    loads("m").awaitHeld(Point.LOAD, 2);

    assertReady(true, false);

    loads("m").release(Point.LOAD, 2);
    load.join();
    assertReady(true, true);
  }

  @Test
  void aModelOfTheStartThatDoesNotLoadCountsUntilItServesOrIsUnloaded() {
    repository.model("m", 1).model("n", 1);
    loads("n").fail(Point.LOAD, 1, InferenceException.invalid("broken"));
    start(ControlMode.EXPLICIT, "m", "n");

    assertReady(false, false);
    assertThat(engine.obstacle())
        .hasValue("model 'n' version 1 is UNAVAILABLE: Invalid argument: broken");

    unload("n");
    assertReady(true, true);
    loads("n").fail(Point.LOAD, 1, InferenceException.invalid("broken"));
    loadFailure("n");
    assertReady(true, false);
  }

  @Test
  void aModelThatHasServedAndIsLostCountsAlsoWhenItDoesNotLoadAgain() {
    repository.model("m", 1).model("e", ensemble(1, "", "m"), 1);
    start(ControlMode.EXPLICIT, "e");
    repository.version("m", 2);

    load("m"); // takes the version from the ensemble that needs it
    assertReady(false, false);
    assertThat(engine.obstacle()).get().asString().startsWith("model 'e' version 1 is ");

    loadFailure("e");
    assertReady(false, false);

    unload("e");
    assertReady(true, true);
  }

  @Test
  void anInstanceThatIsNotHealthyCounts() {
    repository.model("m", 1);
    start(ControlMode.EXPLICIT, "m");

    loads("m").healthy(false);
    await(() -> !engine.isReady(), "the health, for which readiness waits for a moment only");
    assertReady(false, false);
    assertThat(engine.obstacle()).hasValue("model 'm' version 1 is not healthy");

    loads("m").healthy(true);
    await(engine::isReady, "the health");
    assertReady(true, true);
  }

  @Test
  void aModelThatIsRemovedDoesNotCount() {
    repository.model("m", 1).model("n", 1);
    start(ControlMode.POLL);
    repository.delete("n");

    manager.poll();
    manager.poll();

    assertReady(true, true);
  }
}

package io.nereid.engine.model.control.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.Readiness;
import io.nereid.engine.model.control.ControlMode;
import io.nereid.engine.model.control.lifecycle.ModelLoads.Point;
import io.nereid.engine.testing.LogCapture;
import io.nereid.error.InferenceException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Versions that failed to load, and what becomes of them. */
class ForgottenFailureTest extends LifecycleTests {
  private void failVersion2() {
    repository.model("m", 1);
    load("m");
    repository.version("m", 2);
    loads("m").fail(Point.LOAD, 2, InferenceException.invalid("broken"));
    loadFailure("m");
    assertThat(index()).containsExactly("m 1 READY", "m 2 UNAVAILABLE Invalid argument: broken");
    assertThat(registry.obstacle(Readiness.EVERY_MODEL)).isPresent();
  }

  @Test
  void aFailedVersionThatIsRemovedIsForgottenByTheNextLoad() {
    failVersion2();
    repository.delete("m/2");

    load("m");

    assertThat(index()).containsExactly("m 1 READY");
    assertThat(registry.obstacle(Readiness.EVERY_MODEL)).isEmpty();
  }

  @Test
  void aFailedVersionIsForgottenOnceAnotherIsLoadedInItsPlace() {
    failVersion2();
    repository.delete("m/2").version("m", 3);

    load("m");

    awaitIndex("m 1 UNAVAILABLE unloaded", "m 3 READY");
    assertThat(registry.obstacle(Readiness.EVERY_MODEL)).isEmpty();
  }

  @Test
  void whatDoesNotLoadIsNotTriedAgainUntilItsFilesChange() {
    repository.model("m", 1).model("n", 1).write("c/config.pbtxt", "backend: {");
    loads("n").fail(Point.LOAD, 1, InferenceException.invalid("broken"));
    try (var log = new LogCapture("io.nereid.engine")) {
      manager.close();
      manager = manager(repositories(), control(ControlMode.POLL, List.of(), false));
      assertThat(manager.loadAll()).isFalse();
      int lines = log.messages().size();
      for (int poll = 0; poll < 4; poll++) {
        manager.poll();
      }
      assertThat(log.messages()).hasSize(lines);
    }
    assertThat(loads("n").copies(1)).hasSize(1);

    repository.version("n", 2);
    manager.poll();
    manager.poll();

    assertThat(index()).contains("n 2 READY");
  }
}

package io.nereid.engine.model.control.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.Readiness;
import io.nereid.engine.model.control.lifecycle.ModelLoads.Point;
import io.nereid.error.InferenceException;
import org.junit.jupiter.api.Test;

/** Versions that failed to load and do not exist any more. */
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
}

package io.nereid.tck.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.error.InferenceException;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.Rule;
import io.nereid.tck.support.OpenModel;
import org.junit.jupiter.api.Test;

/** Errors of a backend. */
public abstract class ErrorVerification extends BackendVerification {
  /** A model that the backend must fail to load, for a reason that the implementer chooses. */
  protected abstract BackendUnderTest unloadable();

  @Test
  @Rule("BACKEND-ERROR-01")
  void rejectsAModelThatItCannotLoadAndNamesIt() {
    var tested = unloadable();
    assertThatThrownBy(() -> OpenModel.of(tested).close())
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining(tested.config().name());
  }

  @Test
  @Rule("BACKEND-ERROR-02")
  void loadsAGoodModelAfterABadOne() {
    var bad = unloadable();
    var good = backend();
    try (var backend = good.provider().open(good.settings())) {
      assertThatThrownBy(
              () -> backend.load(bad.files(), backend.complete(bad.files(), bad.config())).close())
          .isInstanceOf(InferenceException.class);

      var config = backend.complete(good.files(), good.config());
      try (var model = backend.load(good.files(), config);
          var instance = model.open(good.instance(0))) {
        assertThat(instance.isHealthy()).isTrue();
      }
    }
  }
}

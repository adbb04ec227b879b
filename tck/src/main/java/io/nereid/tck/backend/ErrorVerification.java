package io.nereid.tck.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nereid.error.InferenceException;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.Rule;
import io.nereid.tck.model.OpenBackend;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.Outcome;
import java.util.ArrayList;
import java.util.List;

/** Errors of a backend. */
public abstract class ErrorVerification extends BackendVerification {
  /** A model that the backend must fail to load, for a reason that the implementer chooses. */
  protected abstract BackendUnderTest unloadable();

  @Rule("BACKEND-ERROR-01")
  void rejectsAModelThatItCannotLoadAndNamesIt() {
    var tested = unloadable();
    open().close(); // what opens nothing breaks another rule
    assertThatThrownBy(() -> OpenModel.of(tested, this).close())
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining(tested.config().name());
  }

  @Rule("BACKEND-ERROR-02")
  void loadsAGoodModelAfterABadOne() {
    var bad = unloadable();
    try (var backend = openBackend()) {
      open(backend).close();

      assertThatThrownBy(() -> load(backend, bad)).isInstanceOf(InferenceException.class);

      try (var model = OpenModel.of(backend)) {
        boolean healthy = model.call(() -> model.instance().isHealthy());
        assertThat(healthy).isTrue();
        model.run(requests(model.config(), 1)).after("another model failed to load").responses(0);
      }
    }
  }

  private static void load(OpenBackend opened, BackendUnderTest bad) {
    var backend = opened.backend();
    opened
        .loader()
        .run(
            "Backend.load",
            () -> backend.load(bad.files(), backend.complete(bad.files(), bad.config())).close());
  }

  @Rule("BACKEND-ERROR-03")
  void failsTheBadRequestOfABatchAlone() {
    try (var model = open()) {
      var bad = refused(model.config());
      assumeThat(bad).as("a request that the backend refuses").isPresent();
      var good = request(model.config(), 1, 2);
      var alone = model.run(List.of(good)).responses(0);
      var batch = new ArrayList<>(List.of(bad.orElseThrow()));
      if (model.config().maxBatchSize() > 2) {
        batch.addFirst(good);
        batch.addLast(good);
      }
      for (int times = 0; times < 2; times++) {
        var execution = model.run(batch).after("a bad request was in the batch");
        int refused = batch.indexOf(bad.get());
        assertThat(execution.answers().get(refused))
            .as("the outcome of the bad request")
            .isNotEmpty()
            .last()
            .isInstanceOf(Outcome.Failure.class);
        for (int i = 0; i < batch.size(); i++) {
          if (i != refused) {
            String what = "good request %d beside the bad one, as it is alone".formatted(i);
            assertSame(what, execution.responses(i), alone);
          }
        }
        assertSame(model.run(List.of(good)).after("a bad request failed").responses(0), alone);
      }
    }
  }
}

package io.nereid.tck.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nereid.tck.Rule;
import io.nereid.tck.execution.TestBatch;
import io.nereid.tck.model.OpenModel;

/**
 * The responses of a decoupled model. {@link ExecutionVerification} holds for such a model too; it
 * compares the responses to a request in their order.
 */
public abstract class DecoupledVerification extends BackendVerification {
  @Rule("BACKEND-DEC-01")
  void sendsTheSameResponsesInTheSameOrder() {
    try (var model = open()) {
      requireDecoupled(model);
      var requests = requests(model.config(), 1);
      var first = model.run(requests).requireSound();
      assertSame(model.run(requests).after("the same requests"), first);
    }
  }

  @Rule("BACKEND-DEC-02")
  void stopsWhenItsClientHasLeft() {
    try (var model = open();
        var batch = new TestBatch(model.config())) {
      requireDecoupled(model);
      var request = request(model.config(), 1, 2);
      int all = model.execute(batch.add(request)).responses(0).size();
      assumeThat(all).as("responses to a request").isGreaterThan(2);
      try (var cancelled = new TestBatch(model.config()).add(request).cancelAtFirstResponse()) {
        var execution = model.execute(cancelled);
        execution.found().requireNone();
        assertThat(execution.answers().getFirst())
            .as("responses after the cancellation at the first of %d", all)
            .hasSizeLessThan(all);
      }
    }
  }

  @Rule("BACKEND-DEC-03")
  void servesTheNextRequestAfterOneThatWasCancelled() {
    try (var model = open()) {
      requireDecoupled(model);
      var requests = requests(model.config(), 3);
      var before = model.run(requests).requireSound();
      try (var cancelled = new TestBatch(model.config()).cancelAtFirstResponse()) {
        model.execute(cancelled.addAll(requests(model.config(), 4))).found().requireNone();
      }
      assertSame(model.run(requests).after("a request was cancelled"), before);
    }
  }

  private static void requireDecoupled(OpenModel model) {
    assertThat(model.config().decoupled()).as("the model is decoupled").isTrue();
  }
}

package io.nereid.engine.execution.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.error.InferenceException;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests that a model reschedules. */
class RescheduledRequestsTest extends ExecutionDriver {
  @Test
  void onlyIterativeSequencesMayReschedule() {
    add(Place.first(1), 1);
    BatchResults results = results();

    assertRejected(
        "Request is released with TRITONSERVER_REQUEST_RELEASE_RESCHEDULE, while the model is not"
            + " configured to handle such a flag.",
        () -> results.reschedule(0));

    results.deliver();
    assertThat(requests.getFirst().ended()).hasValue(1);
    requests.clear();
  }

  private BatchResults iterativeResults() {
    var iterative =
        new SequenceSettings(1_000_000, List.of(), new Strategy.Direct(0, 0), List.of(), true);
    model(config.withScheduling(iterative));
    add(Place.first(1), 1);
    return results();
  }

  @Test
  void aRescheduledRequestKeepsItsInputsAndItsPromise() {
    BatchResults results = iterativeResults();
    Tensors.fill(results.allocate(0, "OUT", DataType.INT32, Shape.of(1, 1), 4), 7);

    results.reschedule(0);
    results.deliver();

    assertThat(results.isRescheduled(0)).isTrue();
    assertThat(requests.getFirst().ended()).hasValue(0);
    assertThat(requests.getFirst().pending().promise().isDecided()).isFalse();
  }

  @Test
  void aRescheduledRequestFailsWithItsExecution() {
    BatchResults results = iterativeResults();

    results.reschedule(0);
    results.failAll(InferenceException.internal("no"));
    results.deliver();

    assertThat(results.isRescheduled(0)).isFalse();
    assertThat(requests.getFirst().ended()).hasValue(1);
    requests.clear();
  }
}

package io.nereid.engine.execution.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.request.InferenceResponse;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import org.junit.jupiter.api.Test;

/** Rows of a batch without a request. */
class PaddingTest extends ExecutionDriver {
  @Test
  void paddingHasZerosInTheShapeOfARequest() {
    execution.pad();
    add(Place.first(1), 5, 6);
    execution.pad();
    RequestBatch batch = batch();

    assertThat(batch.isPadding(0)).isTrue();
    assertThat(batch.isPadding(1)).isFalse();
    assertThat(batch.rows()).isEqualTo(3);
    assertThat(batch.request(0).id()).isEmpty();
    assertThat(batch.request(0).outputs()).isEmpty();
    assertThat(Tensors.values(batch.gathered("A").orElseThrow())).containsExactly(0, 0, 5, 6, 0, 0);
  }

  @Test
  void aBatchWithPaddingIsCancelledOnceItsRequestsAre() {
    execution.pad();
    add(Place.first(1), 1);
    RequestBatch batch = batch();
    assertThat(batch.isCancelled()).isFalse();

    requests.getFirst().pending().promise().cancel();

    assertThat(batch.isCancelled()).isTrue();
  }

  @Test
  void paddingFollowsTheShapesOfRequests() {
    for (int length : new int[] {2, 2, 5, 1}) {
      execution.clear();
      add(Place.first(1), new int[length]);
      execution.pad();
      assertThat(batch().input(1, "A").orElseThrow().shape()).isEqualTo(Shape.of(1, length));
    }
  }

  @Test
  void dropsOutputsOfPadding() {
    add(Place.first(1), 1);
    execution.pad();
    batch();
    BatchResults results = results();

    assertThat(results.wants(1, "OUT")).isFalse();
    Tensors.fill(results.allocateBatch("OUT", DataType.INT32, Shape.of(2, 1)), 7, 8);
    results.deliver();

    try (InferenceResponse response = requests.getFirst().outcome().response()) {
      assertThat(Tensors.values(response.outputs().getFirst())).containsExactly(7);
    }
    requests.clear();
  }
}

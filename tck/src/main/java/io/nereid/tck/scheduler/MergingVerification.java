package io.nereid.tck.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import io.nereid.tck.gate.Execution;
import io.nereid.tensor.Shape;
import java.util.List;

/** Which requests may share a batch. */
public abstract class MergingVerification extends SchedulerVerification {
  private static final String FOUR =
      "dynamic_batching { preferred_batch_size: [ 4 ]" + WITH_DELAY + "}";

  /** Two shapes of input, in the order in which they come. */
  private static GatedModel withShapes(GatedModel model, long... sizes) {
    model.block();
    for (int i = 0; i < sizes.length; i++) {
      var input = TestRequest.fp32("IN0", i, 1, sizes[i]);
      model.submit(TestRequest.of("r" + (i + 1), input));
    }
    model.open();
    return model;
  }

  private static String variable(String more) {
    return """
    input { name: "IN0" data_type: TYPE_FP32 dims: [ -1 ] %s }
    output { name: "OUT0" data_type: TYPE_FP32 dims: [ -1 ] }
    """
            .formatted(more)
        + FOUR;
  }

  @Rule("SCHED-23")
  void endsABatchBeforeARequestOfAnotherShape() {
    var model = withShapes(load(8, variable("")), 16, 16, 20, 20);

    assertThat(model.ids()).containsExactly(List.of("r1", "r2"));
    advancePast(DELAY, model, () -> assertThat(model.ids()).hasSize(1));

    assertThat(model.ids()).containsExactly(List.of("r1", "r2"), List.of("r3", "r4"));
  }

  @Rule("SCHED-23")
  void mergesRequestsOfAnyShapeWhereTheyMayBeRagged() {
    var model = withShapes(load(8, variable("allow_ragged_batch: true")), 16, 16, 20, 20);

    assertThat(model.ids()).containsExactly(List.of("r1", "r2", "r3", "r4"));
    assertThat(model.executions().getFirst().requests())
        .extracting(request -> request.shape("IN0"))
        .containsExactly(Shape.of(1, 16), Shape.of(1, 16), Shape.of(1, 20), Shape.of(1, 20));
    model.assertEchoed(model.answers());
  }

  @Rule("SCHED-23")
  void mergesRequestsWhereTheModelLeavesNoShapeOpen() {
    var model = withShapes(load(8, FOUR), 16, 16, 16, 16);

    assertThat(model.ids()).containsExactly(List.of("r1", "r2", "r3", "r4"));
  }

  @Rule("SCHED-24")
  void mergesRequestsWhoseShapeTensorsHaveTheSameValues() {
    var model =
        load(
            8,
            """
            platform: "tensorrt_plan"
            input { name: "IN0" data_type: TYPE_FP32 dims: [ 16 ] }
            input { name: "IN1" data_type: TYPE_INT32 dims: [ 2 ] is_shape_tensor: true }
            output { name: "OUT0" data_type: TYPE_FP32 dims: [ 16 ] }
            """
                + "dynamic_batching { preferred_batch_size: [ 2 ]"
                + WITH_DELAY
                + "}");
    model.block(withShapeTensor(model, "", 8, 0, 0));
    model.submit(withShapeTensor(model, "other", 1, 0, 1));
    model.submit(withShapeTensor(model, "same1", 1, 0, 2)); // differs behind a zero only
    model.submit(withShapeTensor(model, "same2", 1, 0, 2));

    model.open();

    assertThat(model.ids()).containsExactly(List.of("other"), List.of("same1", "same2"));
  }

  private static TestRequest withShapeTensor(
      GatedModel model, String id, long rows, int first, int second) {
    var rowed = model.request(id, rows).inputs().getFirst();
    return TestRequest.of(id, rowed, TestRequest.int32("IN1", first, second));
  }

  @Rule("SCHED-25")
  void mergesRequestsThatBringTheSameInputs() {
    var optional = TWO_INPUTS.replaceAll("(input .*)}", "$1 optional: true }");
    var model = load(8, optional + FOUR);
    var a = TestRequest.fp32("IN0", 1, 1, 16);
    var b = TestRequest.fp32("IN1", 2, 1, 16);
    model.block(withTwoInputs("", 8));
    model.submit(TestRequest.of("a", a).wanting("OUT0"));
    model.submit(TestRequest.of("b", b).wanting("OUT1"));
    model.submit(TestRequest.of("ab1", a, b));
    model.submit(TestRequest.of("ab2", a, b));

    model.open();
    assertThat(model.ids()).containsExactly(List.of("a"), List.of("b"));
    model.advance(DELAY.plus(MOMENT));

    assertThat(model.ids()).containsExactly(List.of("a"), List.of("b"), List.of("ab1", "ab2"));
  }

  @Rule("SCHED-26")
  void mergesRequestsThatWantDifferentOutputs() {
    var model = load(8, TWO_INPUTS + "dynamic_batching { }");
    model.block(withTwoInputs("", 8));
    var first = model.submit(withTwoInputs("r1", 1).wanting("OUT0"));
    var second = model.submit(withTwoInputs("r2", 1).wanting("OUT1"));

    model.open();

    assertThat(model.executions()).extracting(Execution::rows).containsExactly(2L);
    assertThat(first.await().responses().getFirst().tensors()).containsOnlyKeys("OUT0");
    assertThat(second.await().responses().getFirst().tensors()).containsOnlyKeys("OUT1");
  }

  private static TestRequest withTwoInputs(String id, long rows) {
    return TestRequest.of(
        id, TestRequest.fp32("IN0", 1, rows, 16), TestRequest.fp32("IN1", 2, rows, 16));
  }
}

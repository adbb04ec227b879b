package io.nereid.tck.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.gate.Execution;
import io.nereid.tck.support.Tensors;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.params.provider.CsvSource;

/** Inputs and outputs of a batch whose requests differ in size. */
public abstract class RaggedVerification extends SchedulerVerification {
  private static final String FOUR =
      "dynamic_batching { preferred_batch_size: [ 4 ]" + WITH_DELAY + "}\n";

  private static String ragged(String dims) {
    return """
    input { name: "IN0" data_type: TYPE_FP32 dims: %1$s allow_ragged_batch: true }
    output { name: "OUT0" data_type: TYPE_FP32 dims: %1$s }
    """
        .formatted(dims);
  }

  private static String computed(String kind, String type) {
    return """
    batch_input { kind: %s target_name: "T" data_type: TYPE_%s source_input: "IN0" }
    """
        .formatted(kind, type);
  }

  /** Runs requests in one batch of four rows: 1x2x3, 2x1x4 and 1x5x0. */
  private Execution three(GatedModel model) {
    model.block(TestRequest.of("", TestRequest.fp32("IN0", 0, 4, 1, 1)));
    model.submit(TestRequest.of("r1", TestRequest.fp32("IN0", 1, 1, 2, 3)));
    model.submit(TestRequest.of("r2", TestRequest.fp32("IN0", 2, 2, 1, 4)));
    model.submit(TestRequest.of("r3", TestRequest.fp32("IN0", 3, 1, 5, 0)));
    model.open();
    assertThat(model.ids()).containsExactly(List.of("r1", "r2", "r3"));
    return model.executions().getFirst();
  }

  private static Tensor gathered(Execution execution, String name) {
    Tensor tensor = execution.gathered().get(name);
    if (tensor == null) {
      throw new AssertionError(
          "the batch has no '%s', but %s".formatted(name, execution.gathered().keySet()));
    }
    return tensor;
  }

  private static String shown(Execution execution, String name) {
    Tensor tensor = gathered(execution, name);
    var text = new StringBuilder(tensor.shape().toString());
    for (long at = 0; at < tensor.byteSize(); at += tensor.dataType().byteSize()) {
      text.append(' ');
      if (tensor.dataType() == DataType.FP32) {
        text.append(tensor.data().get(Elements.FLOAT, at));
      } else {
        text.append(tensor.data().get(Elements.INT, at));
      }
    }
    return text.toString();
  }

  @Rule("SCHED-RAGGED-01")
  void givesTheElementsOfAllRequestsInOneDimension() {
    var model = load(4, ragged("[ -1, -1 ]") + FOUR);

    assertThat(shown(three(model), "IN0")).isEqualTo("[14]" + " 1.0".repeat(6) + " 2.0".repeat(8));
    model.assertEchoed(model.answers());
  }

  @Rule("SCHED-RAGGED-01")
  void givesTheElementsOfASingleRequestInOneDimensionToo() {
    var model = load(4, ragged("[ -1, -1 ]"));

    model.submit(TestRequest.of("r1", TestRequest.fp32("IN0", 7, 2, 1, 3)));
    model.open();

    assertThat(shown(model.executions().getFirst(), "IN0")).isEqualTo("[6]" + " 7.0".repeat(6));
  }

  @RuleCases("SCHED-RAGGED-02")
  @CsvSource({
    "BATCH_ELEMENT_COUNT,INT32,[3] 6 8 0",
    "BATCH_ELEMENT_COUNT,FP32,[3] 6.0 8.0 0.0",
    "BATCH_ACCUMULATED_ELEMENT_COUNT,INT32,[3] 6 14 14",
    "BATCH_ACCUMULATED_ELEMENT_COUNT,FP32,[3] 6.0 14.0 14.0",
    "BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO,INT32,[4] 0 6 14 14",
    "BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO,FP32,[4] 0.0 6.0 14.0 14.0",
    "BATCH_ITEM_SHAPE,INT32,'[4,2] 2 3 1 4 1 4 5 0'",
    "BATCH_ITEM_SHAPE,FP32,'[4,2] 2.0 3.0 1.0 4.0 1.0 4.0 5.0 0.0'",
    "BATCH_ITEM_SHAPE_FLATTEN,INT32,[8] 2 3 1 4 1 4 5 0",
    "BATCH_ITEM_SHAPE_FLATTEN,FP32,[8] 2.0 3.0 1.0 4.0 1.0 4.0 5.0 0.0"
  })
  void computesWhatTheBatchIsMadeUpOf(String kind, String type, String expected) {
    var model = load(4, ragged("[ -1, -1 ]") + computed(kind, type) + FOUR);

    assertThat(shown(three(model), "T")).isEqualTo(expected);
  }

  @RuleCases("SCHED-RAGGED-02")
  @CsvSource({"INT32", "FP32"})
  void tellsTheSizeOfTheLargestRequestByAShape(DataType type) {
    String computed = computed("BATCH_MAX_ELEMENT_COUNT_AS_SHAPE", type.name());
    var model = load(4, ragged("[ -1, -1 ]") + computed + FOUR);

    Tensor target = gathered(three(model), "T");

    assertThat(target.shape()).isEqualTo(Shape.of(8));
    assertThat(target.dataType()).isEqualTo(type);
  }

  @Rule("SCHED-RAGGED-03")
  void cutsAnOutputUpByTheShapesOfAnInput() {
    String scattered =
        """
        batch_output {
          kind: BATCH_SCATTER_WITH_INPUT_SHAPE target_name: "OUT0" source_input: "IN0"
        }
        """;
    var model = load(4, ragged("[ -1, -1 ]") + scattered + FOUR);

    three(model);

    model.assertEchoed(model.answers());
  }

  @Rule("SCHED-RAGGED-04")
  void doesNotTakeAShapeTensorForRows() {
    var model =
        load(
            8,
            """
            platform: "tensorrt_plan"
            input { name: "SHAPE" data_type: TYPE_INT32 dims: [ 3 ] is_shape_tensor: true }
            input { name: "IN0" data_type: TYPE_FP32 dims: [ 2 ] }
            output { name: "OUT0" data_type: TYPE_FP32 dims: [ 2 ] }
            """
                + FOUR);
    model.block(withShape("", 8));
    var first = model.submit(withShape("r1", 1));
    var second = model.submit(withShape("r2", 3));
    model.open();

    assertThat(model.ids()).containsExactly(List.of("r1", "r2"));
    assertThat(model.rows()).containsExactly(4L);
    assertThat(outputShape(first)).isEqualTo(Shape.of(1, 2));
    assertThat(outputShape(second)).isEqualTo(Shape.of(3, 2));
  }

  private static TestRequest withShape(String id, long rows) {
    return TestRequest.of(
        id, TestRequest.int32("SHAPE", 1, 2, 3), TestRequest.fp32("IN0", 1, rows, 2));
  }

  private static Shape outputShape(TestResponse answer) {
    return Tensors.named(answer.await().responses().getFirst(), "OUT0").shape();
  }
}

package io.nereid.tensorrt.signature;

import static io.nereid.tensorrt.signature.Plans.bare;
import static io.nereid.tensorrt.signature.Plans.batching;
import static io.nereid.tensorrt.signature.Plans.config;
import static io.nereid.tensorrt.signature.Plans.floats;
import static io.nereid.tensorrt.signature.Plans.plan;
import static io.nereid.tensorrt.signature.Plans.range;
import static io.nereid.tensorrt.signature.Plans.shapes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.config.BatchingSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.SchedulingSettings;
import io.nereid.config.TensorConfig;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class SignatureCompletionTest {
  private static ModelConfig complete(PlanSignature plan, ModelConfig config) {
    return new SignatureCompletion(plan, config).complete(OptionalInt.empty());
  }

  @Test
  void anEngineWhoseFirstDimensionsVaryBatchesUpToTheFirstProfilesMaximum() {
    var plan =
        plan().input("IN", range(1, 2, 8, 4), range(1, 16, 32, 4)).output("OUT", -1, 4).build();

    var completed = complete(plan, bare());

    assertThat(completed.maxBatchSize()).isEqualTo(8);
    assertThat(completed.inputs()).containsExactly(floats("IN", 4));
    assertThat(completed.outputs()).containsExactly(floats("OUT", 4));
    assertThat(completed.scheduling()).isEqualTo(BatchingSettings.of(List.of(8), 0));
  }

  @Test
  void theSmallestMaximumOfTheInputsCounts() {
    var plan =
        plan()
            .input("A", range(1, 2, 8, 4))
            .input("B", range(1, 2, 3, 4))
            .output("OUT", -1, 4)
            .build();

    assertThat(complete(plan, bare()).maxBatchSize()).isEqualTo(3);
  }

  @Test
  void anEngineOfABatchOfOneHasNoScheduler() {
    var plan = plan().input("IN", range(0, 1, 1, 4)).output("OUT", -1, 4).build();

    var completed = complete(plan, bare());

    assertThat(completed.maxBatchSize()).isEqualTo(1);
    assertThat(completed.scheduling()).isEqualTo(new SchedulingSettings.Direct());
  }

  @Test
  void anEngineWithAFixedFirstDimensionDoesNotBatch() {
    var plan = plan().input("IN", InputRange.of(Shape.of(2, 4))).output("OUT", 2, 4).build();

    var completed = complete(plan, bare());

    assertThat(completed.maxBatchSize()).isZero();
    assertThat(completed.inputs()).containsExactly(floats("IN", 2, 4));
    assertThat(completed.outputs()).containsExactly(floats("OUT", 2, 4));
  }

  @Test
  void theOperatorsDefaultBoundsTheLargestBatch() {
    assertThat(
            new SignatureCompletion(batching(), bare()).complete(OptionalInt.of(4)).maxBatchSize())
        .isEqualTo(4);

    var none = new SignatureCompletion(batching(), bare()).complete(OptionalInt.of(0));
    assertThat(none.maxBatchSize()).isZero();
    assertThat(none.inputs()).containsExactly(floats("IN", -1, 4));
  }

  @Test
  void dimensionsOfOneFewerThanTheEngineSayThatTheModelBatches() {
    var stated = config(0, List.of(floats("IN", 4)));

    assertThat(complete(batching(), stated).maxBatchSize()).isEqualTo(8);
  }

  @Test
  void dimensionsAsManyAsTheEnginesSayThatTheModelDoesNotBatch() {
    var stated = config(0, List.of(floats("IN", -1, 4)));

    var completed = complete(batching(), stated);

    assertThat(completed.maxBatchSize()).isZero();
    assertThat(completed.outputs()).containsExactly(floats("OUT", -1, 4));
  }

  @Test
  void rejectsDimensionsThatContradictEachOther() {
    var stated = config(0, List.of(floats("IN", 4)), floats("OUT", -1, 4));

    assertThatThrownBy(() -> complete(batching(), stated))
        .hasMessage(
            "unable to autofill for 'm', model tensor configurations are contradicting each other"
                + " in terms of whether batching is supported");
  }

  @Test
  void rejectsDimensionsOfABatchingModelForAnEngineThatCannotBatch() {
    var plan = plan().input("IN", range(0, 0, 0, 4)).output("OUT", -1, 4).build();

    assertThatThrownBy(() -> complete(plan, config(0, List.of(floats("IN", 4)))))
        .hasMessage(
            "autofill failed for model 'm': model tensor shape configuration hints for dynamic"
                + " batching but the underlying engine doesn't support batching.");
  }

  @Test
  void rejectsALargerBatchThanEveryProfileAdmits() {
    assertThatThrownBy(() -> complete(batching(), config(9, List.of())))
        .hasMessage(
            "autofill failed for model 'm': configuration specified max-batch 9 but TensorRT"
                + " engine only supports max-batch 8");

    var second =
        plan().input("IN", range(1, 2, 8, 4), range(1, 16, 32, 4)).output("OUT", -1, 4).build();
    assertThat(complete(second, config(32, List.of())).maxBatchSize()).isEqualTo(32);
  }

  @Test
  void aConfigurationThatIsCompleteStaysAsItIs() {
    var completed = complete(batching(), bare());

    assertThat(complete(batching(), completed)).isSameAs(completed);
  }

  @Test
  void listsShapeTensorsWithoutTheBatchSize() {
    var values = new InputRange(Shape.of(1, 2), Shape.of(4, 8), Shape.of(8, 16));
    var plan =
        plan()
            .input("IN", range(1, 2, 8, 4))
            .shapeInput("SHAPE", values)
            .output("OUT", -1, -1)
            .shapeOutput("VALUES", 2)
            .build();

    var completed = complete(plan, bare());

    assertThat(completed.inputs()).containsExactly(floats("IN", 4), shapes("SHAPE", 1));
    assertThat(completed.outputs()).containsExactly(floats("OUT", -1), shapes("VALUES", 1));
    assertThat(complete(plan, completed)).isSameAs(completed);
  }

  @Test
  void marksShapeTensorsThatTheConfigurationDoesNotMark() {
    var values = new InputRange(Shape.of(1), Shape.of(4), Shape.of(8));
    var plan = plan().input("IN", InputRange.of(Shape.of(4))).shapeInput("SHAPE", values).build();
    var unmarked = TensorConfig.of("SHAPE", DataType.INT64, Shape.of(1));

    var completed = complete(plan, config(0, List.of(floats("IN", 4), unmarked)));

    assertThat(completed.inputs()).containsExactly(floats("IN", 4), shapes("SHAPE", 1));
  }

  @Test
  void rejectsTheMarkOfAShapeTensorOnAnotherInput() {
    assertThatThrownBy(() -> complete(batching(), config(0, List.of(shapes("IN", 4)))))
        .hasMessage("model 'm': 'IN' is incorrectly specified as a shape tensor.");
  }

  @Test
  void rowsOfOneElementAreReshaped() {
    var plan = plan().input("IN", range(1, 2, 8)).output("OUT", -1).build();

    var input = complete(plan, bare()).inputs().getFirst();

    assertThat(input.dims()).isEqualTo(Shape.of(1));
    assertThat(input.reshape()).isEqualTo(Optional.of(Shape.of()));
  }
}

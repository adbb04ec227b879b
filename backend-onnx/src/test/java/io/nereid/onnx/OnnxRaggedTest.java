package io.nereid.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.BatchInput;
import io.nereid.config.BatchInput.Kind;
import io.nereid.config.BatchOutput;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.onnx.ort.OrtEnvironment;
import io.nereid.tck.execution.ExecutedBatch;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.Tensors;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Ragged inputs, computed batch inputs, and outputs that are split by input shapes. */
class OnnxRaggedTest {
  private static final TensorConfig IN =
      new TensorConfig(
          "IN",
          DataType.FP32,
          Shape.of(-1),
          Optional.empty(),
          false,
          true,
          false,
          TensorConfig.Format.FORMAT_NONE,
          "");

  private static final List<TensorConfig> OUTPUTS =
      List.of(
          TensorConfig.of("SUM", DataType.FP32, Shape.of(1)),
          TensorConfig.of("NEGATED", DataType.FP32, Shape.of(-1)),
          TensorConfig.of("COUNT_OUT", DataType.FP32, Shape.of(1)),
          TensorConfig.of("ITEMS_OUT", DataType.INT32, Shape.of(1)),
          TensorConfig.of("MAX_OUT", DataType.INT64, Shape.of(1)));

  private static final BatchInput COUNT =
      computed(Kind.BATCH_ELEMENT_COUNT, "COUNT", DataType.FP32);

  private static final List<BatchInput> COMPUTED =
      List.of(
          computed(Kind.BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO, "BOUNDS", DataType.INT32),
          COUNT,
          computed(Kind.BATCH_ITEM_SHAPE, "ITEMS", DataType.INT32),
          computed(Kind.BATCH_MAX_ELEMENT_COUNT_AS_SHAPE, "MAX", DataType.INT32));

  private final long handles = OrtEnvironment.openHandles();

  @AfterEach
  void allHandlesAreReleased() {
    assertThat(OrtEnvironment.openHandles()).isEqualTo(handles);
  }

  private static BatchInput computed(Kind kind, String target, DataType type) {
    return new BatchInput(kind, List.of(target), type, "IN");
  }

  private static ModelConfig config(
      List<TensorConfig> inputs, List<TensorConfig> outputs, List<BatchInput> computed) {
    return TestModels.withBatchTensors(
        TestModels.bare("ragged").withSignature(4, inputs, outputs),
        computed,
        List.of(new BatchOutput("NEGATED", "IN")));
  }

  private static OpenModel open(ModelConfig config) {
    return OpenModel.of(TestModels.underTest(config));
  }

  private static List<Tensor> request(float... values) {
    return List.of(TestModels.floats("IN", Shape.of(1, values.length), values));
  }

  private static void assertAnswered(ExecutedBatch execution, int request, long max, float... in) {
    float sum = 0;
    var negated = new float[in.length];
    for (int i = 0; i < in.length; i++) {
      sum += in[i];
      negated[i] = -in[i];
    }
    var outputs = execution.outputs(request);
    Shape one = Shape.of(1, 1);
    Tensors.assertSame(Tensors.named(outputs, "SUM"), TestModels.floats("SUM", one, sum));
    Tensors.assertSame(
        Tensors.named(outputs, "NEGATED"),
        TestModels.floats("NEGATED", Shape.of(1, in.length), negated));
    Tensors.assertSame(
        Tensors.named(outputs, "COUNT_OUT"), TestModels.floats("COUNT_OUT", one, in.length));
    Tensors.assertSame(
        Tensors.named(outputs, "ITEMS_OUT"), TestModels.ints("ITEMS_OUT", one, in.length));
    Tensors.assertSame(Tensors.named(outputs, "MAX_OUT"), TestModels.longs("MAX_OUT", one, max));
  }

  @Test
  void batchesRequestsOfDifferentSizes() {
    try (var model = open(config(List.of(IN), OUTPUTS, COMPUTED))) {
      for (int round = 0; round < 3; round++) { // the first tests the predicted shape
        var together = model.execute(List.of(request(1, 2, 3), request(), request(4, 5)));
        assertAnswered(together, 0, 3, 1, 2, 3);
        assertAnswered(together, 1, 3);
        assertAnswered(together, 2, 3, 4, 5);

        var alone = model.execute(List.of(request(6, 7)));
        assertAnswered(alone, 0, 2, 6, 7);
      }
    }
  }

  @Test
  void completesInputsWithoutComputedOnes() {
    var config = TestModels.withBatchTensors(TestModels.bare("ragged"), COMPUTED, List.of());
    try (var model = open(config.withSignature(4, List.of(), OUTPUTS.subList(0, 1)))) {
      assertThat(model.config().inputs()).extracting(TensorConfig::name).containsExactly("IN");
      assertThat(model.config().batchInputs()).isEqualTo(COMPUTED);
    }
  }

  private static void assertRejected(ModelConfig config, String message) {
    assertThat(TestModels.loadFailure(config))
        .hasMessage("unable to load model 'ragged', " + message);
  }

  @Test
  void rejectsAnInputThatIsNeitherDeclaredNorComputed() {
    assertRejected(
        config(List.of(IN), OUTPUTS, COMPUTED.subList(0, 3)),
        "configuration expects 4 inputs, model provides 5");
  }

  @Test
  void rejectsAComputedInputThatTheFileLacks() {
    assertRejected(
        config(
            List.of(IN),
            OUTPUTS,
            List.of(
                COMPUTED.get(0),
                COUNT,
                COMPUTED.get(2),
                COMPUTED.get(3),
                computed(Kind.BATCH_ELEMENT_COUNT, "X", DataType.INT32))),
        "unexpected inference batch input 'X', allowed batch inputs are: IN, BOUNDS, COUNT, ITEMS,"
            + " MAX");
  }

  @Test
  void rejectsAComputedInputOfAnotherType() {
    assertRejected(
        config(
            List.of(IN),
            OUTPUTS,
            List.of(
                computed(Kind.BATCH_ELEMENT_COUNT, "COUNT", DataType.INT32),
                COMPUTED.get(0),
                COMPUTED.get(2),
                COMPUTED.get(3))),
        "configuration expects datatype TYPE_INT32 for batch input 'COUNT', model provides"
            + " TYPE_FP32");
  }

  @Test
  void rejectsAComputedInputOfAnotherRank() {
    assertRejected(
        config(
            List.of(IN),
            OUTPUTS,
            List.of(
                computed(Kind.BATCH_ITEM_SHAPE_FLATTEN, "ITEMS", DataType.INT32),
                COMPUTED.get(0),
                COUNT,
                COMPUTED.get(3))),
        "configuration expects 1 dimensions, the first of any size, for batch input 'ITEMS', model"
            + " provides [-1,1]");
  }
}

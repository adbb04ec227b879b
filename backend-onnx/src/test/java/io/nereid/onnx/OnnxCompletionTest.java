package io.nereid.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.config.BatchingSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.QueuePolicy;
import io.nereid.config.SchedulingSettings;
import io.nereid.config.TensorConfig;
import io.nereid.tck.TestContext;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OnnxCompletionTest {
  private static ModelConfig complete(ModelConfig config, Map<String, String> options) {
    try (var backend = new OnnxBackendProvider().open(TestContext.of("onnxruntime", options))) {
      return backend.complete(TestModels.files(config.name()), config);
    }
  }

  private static ModelConfig complete(ModelConfig config) {
    return complete(config, Map.of());
  }

  private static TensorConfig ints(String name) {
    return TensorConfig.of(name, DataType.INT32, Shape.of(16));
  }

  @Test
  void completesABatchingModel() {
    var completed = complete(TestModels.bare("simple"));

    assertThat(completed.maxBatchSize()).isEqualTo(4);
    assertThat(completed.inputs()).containsExactly(ints("INPUT0"), ints("INPUT1"));
    assertThat(completed.outputs()).containsExactly(ints("OUTPUT0"), ints("OUTPUT1"));
    assertThat(completed.scheduling()).isEqualTo(BatchingSettings.of(List.of(4), 0));
  }

  @Test
  void usesTheOperatorsDefaultMaximumBatchSize() {
    var batching = complete(TestModels.bare("simple"), Map.of("default-max-batch-size", "16"));
    assertThat(batching.maxBatchSize()).isEqualTo(16);
    assertThat(batching.scheduling()).isEqualTo(BatchingSettings.of(List.of(16), 0));

    var single = complete(TestModels.bare("simple"), Map.of("default-max-batch-size", "1"));
    assertThat(single.maxBatchSize()).isEqualTo(1);
    assertThat(single.scheduling()).isEqualTo(new SchedulingSettings.Direct());

    var none = complete(TestModels.bare("simple"), Map.of("default-max-batch-size", "0"));
    assertThat(none.maxBatchSize()).isZero();
    assertThat(none.inputs().getFirst().dims()).isEqualTo(Shape.of(-1, 16));
  }

  @Test
  void keepsTheValuesOfTheConfiguration() {
    var stated = List.of(ints("INPUT1"), ints("INPUT0"));
    var batching = new BatchingSettings(List.of(2), 100, true, 0, 0, QueuePolicy.NONE, Map.of());
    var config =
        TestModels.bare("simple").withSignature(8, stated, List.of()).withScheduling(batching);

    var completed = complete(config);

    assertThat(completed.maxBatchSize()).isEqualTo(8);
    assertThat(completed.inputs()).isEqualTo(stated);
    assertThat(completed.outputs()).containsExactly(ints("OUTPUT0"), ints("OUTPUT1"));
    assertThat(completed.scheduling()).isEqualTo(batching);
  }

  @Test
  void rejectsAConfigurationThatContradictsTheFile() {
    var wrong = List.of(ints("INPUT0"), TensorConfig.of("INPUT1", DataType.FP32, Shape.of(16)));

    assertThatThrownBy(() -> complete(TestModels.bare("simple").withSignature(8, wrong, List.of())))
        .hasMessage(
            "unable to load model 'simple', configuration expects datatype TYPE_FP32 for input"
                + " 'INPUT1', model provides TYPE_INT32");
  }

  @Test
  void rejectsAModelWhoseOutputIsNoTensor() {
    assertThatThrownBy(() -> complete(TestModels.bare("sequence")))
        .hasMessageStartingWith(
            "unable to load model 'sequence', 'OUT' is no tensor in the model, which cannot be"
                + " served. A sequence of maps comes from the node ZipMap: convert the model")
        .hasMessageContaining("skl2onnx: options={'zipmap': False}")
        .hasMessageEndingWith("or state in config.pbtxt only the outputs that are tensors");
  }

  @Test
  void returnsAConfigurationWithInputsAndOutputsUnchanged() {
    var config =
        TestModels.bare("simple")
            .withSignature(8, List.of(ints("INPUT0")), List.of(ints("OUTPUT0")));

    assertThat(complete(config)).isSameAs(config);
  }

  @Test
  void completesAModelWithoutBatchDimension() {
    var completed = complete(TestModels.bare("fixed"));

    assertThat(completed.maxBatchSize()).isZero();
    assertThat(completed.inputs())
        .containsExactly(TensorConfig.of("IN", DataType.FP32, Shape.of(1, 4)));
    assertThat(completed.scheduling()).isEqualTo(new SchedulingSettings.Direct());
  }

  @Test
  void rejectsAMaximumBatchSizeForAModelWithoutBatchDimension() {
    var config = TestModels.bare("fixed").withSignature(8, List.of(), List.of());

    assertThatThrownBy(() -> complete(config))
        .hasMessage(
            "autofill failed for model 'fixed': model does not support batching while non-zero"
                + " max_batch_size is specified");
  }

  @Test
  void declaresScalarsAsOneElement() {
    var scalar = complete(TestModels.bare("scalar"));
    assertThat(scalar.inputs()).containsExactly(TensorConfig.of("IN", DataType.FP32, Shape.of(1)));

    var input = complete(TestModels.bare("row_scalar")).inputs().getFirst();
    assertThat(input.dims()).isEqualTo(Shape.of(1));
    assertThat(input.reshape()).contains(Shape.of());
  }

  /** The file says [1, "batch", 2]; ONNX Runtime infers [1, 1, 2] once constants are folded. */
  @Test
  void anOutputHasTheShapeThatTheSessionWillHave() {
    var completed = complete(TestModels.bare("symbolic_output"));

    assertThat(completed.output("hn").orElseThrow().dims()).isEqualTo(Shape.of(1, 1, 2));
    assertThat(TestModels.loadFailure(completed)).isNull();
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1, 2})
  void aModelWithoutAConfigurationLoadsWithEveryLevelOfOptimization(int level) {
    var completed = complete(TestModels.withGraphLevel(TestModels.bare("symbolic_output"), level));

    assertThat(TestModels.loadFailure(completed)).isNull();
  }
}

package io.nereid.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Control;
import io.nereid.config.SequenceSettings.Control.Kind;
import io.nereid.config.SequenceSettings.State;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.onnx.ort.OrtEnvironment;
import io.nereid.tck.TestContext;
import io.nereid.tck.execution.ExecutedBatch;
import io.nereid.tck.execution.TestBatch;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.Samples;
import io.nereid.tck.support.Tensors;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Controls and states, which the batch has as inputs, and the states that the model writes. */
class OnnxSequenceTest {
  private static final Control START =
      new Control("START", Kind.CONTROL_SEQUENCE_START, DataType.INT32, 0, 1);
  private static final Control ID =
      new Control("ID", Kind.CONTROL_SEQUENCE_CORRID, DataType.UINT64, 0, 0);

  private final long handles = OrtEnvironment.openHandles();

  @AfterEach
  void allHandlesAreReleased() {
    assertThat(OrtEnvironment.openHandles()).isEqualTo(handles);
  }

  private static State state(DataType type, long... dims) {
    return new State("STATE_IN", "STATE_OUT", type, Shape.of(dims), Optional.empty(), false, false);
  }

  private static ModelConfig sequences(String model, List<Control> controls, State... states) {
    return TestModels.bare(model)
        .withScheduling(
            new SequenceSettings(
                1_000_000, controls, new Strategy.Direct(0, 0), List.of(states), false));
  }

  private static ModelConfig accumulate() {
    return sequences("accumulate", List.of(START, ID), state(DataType.INT32, 1));
  }

  private static Tensor int32(String name, int value) {
    return TestModels.ints(name, Shape.of(1, 1), value);
  }

  private static Tensor id(long value) {
    var longs = TestModels.longs("ID", Shape.of(1, 1), value);
    return new Tensor("ID", DataType.UINT64, longs.shape(), longs.data());
  }

  private static List<Tensor> row(int value, int start, long id, int state) {
    return List.of(int32("IN", value), int32("START", start), id(id), int32("STATE_IN", state));
  }

  private static Tensor strings(String name, String... elements) {
    var data = MemorySegment.ofArray(Samples.strings(elements));
    return new Tensor(name, DataType.BYTES, Shape.of(1, elements.length), data);
  }

  private static Tensor written(ExecutedBatch execution, int request) {
    var states = execution.states().get(request);
    assertThat(states).containsOnlyKeys("STATE_OUT");
    return states.values().iterator().next();
  }

  @Test
  void completesInputsAndOutputsWithoutControlsAndStates() {
    try (var model = OpenModel.of(TestModels.underTest(accumulate()))) {
      assertThat(model.config().maxBatchSize()).isEqualTo(4);
      assertThat(model.config().inputs())
          .containsExactly(TensorConfig.of("IN", DataType.INT32, Shape.of(1)));
      assertThat(model.config().outputs())
          .extracting(TensorConfig::name)
          .containsExactly("OUT", "ID_OUT");
      assertThat(model.config().scheduling()).isEqualTo(accumulate().scheduling());
    }
  }

  @Test
  void readsControlsAndStatesAndWritesTheStateOfEachSequence() {
    try (var model = OpenModel.of(TestModels.underTest(accumulate()))) {
      for (int round = 0; round < 3; round++) { // the first tests the predicted shape
        var execution = model.execute(List.of(row(5, 1, 17, 100), row(7, 0, -1, 30)));

        var first = execution.outputs(0);
        Tensors.assertSame(Tensors.named(first, "OUT"), int32("OUT", -5));
        assertThat(Tensors.named(first, "ID_OUT").data().get(Elements.LONG, 0)).isEqualTo(17);
        Tensors.assertSame(written(execution, 0), int32("STATE_OUT", 5));
        Tensors.assertSame(Tensors.named(execution.outputs(1), "OUT"), int32("OUT", -37));
        Tensors.assertSame(written(execution, 1), int32("STATE_OUT", 37));
      }
    }
  }

  @Test
  void writesNoStateForPadding() {
    try (var model = OpenModel.of(TestModels.underTest(accumulate()));
        var batch = new TestBatch(model.config())) {
      batch.add(row(1, 1, 1, 0)).addPadding(row(2, 1, 0, 0)).add(row(3, 1, 3, 0));

      var execution = model.execute(batch);

      Tensors.assertSame(written(execution, 0), int32("STATE_OUT", 1));
      assertThat(execution.states().get(1)).isEmpty();
      Tensors.assertSame(written(execution, 2), int32("STATE_OUT", 3));
      Tensors.assertSame(Tensors.named(execution.outputs(2), "OUT"), int32("OUT", -3));
    }
  }

  @Test
  void returnsAStateAsAnOutputIfRequested() {
    var config =
        accumulate()
            .withSignature(
                4,
                List.of(TensorConfig.of("IN", DataType.INT32, Shape.of(1))),
                List.of(
                    TensorConfig.of("OUT", DataType.INT32, Shape.of(1)),
                    TensorConfig.of("STATE_OUT", DataType.INT32, Shape.of(1))));
    try (var model = OpenModel.of(TestModels.underTest(config));
        var batch = new TestBatch(model.config())) {
      batch.add(row(4, 0, 1, 6)).add(row(1, 0, 2, 1), List.of("OUT"));

      var execution = model.execute(batch);

      Tensors.assertSame(Tensors.named(execution.outputs(0), "STATE_OUT"), int32("STATE_OUT", 10));
      assertThat(execution.outputs(1).tensors()).containsOnlyKeys("OUT");
      Tensors.assertSame(written(execution, 0), int32("STATE_OUT", 10));
      Tensors.assertSame(written(execution, 1), int32("STATE_OUT", 2));
    }
  }

  @Test
  void writesTheStateOfARequestWithoutOutputs() {
    try (var model = OpenModel.of(TestModels.underTest(accumulate()));
        var batch = new TestBatch(model.config())) {
      batch.add(row(4, 0, 1, 6), List.of());

      Tensors.assertSame(written(model.execute(batch), 0), int32("STATE_OUT", 10));
    }
  }

  @Test
  void writesStatesOfStrings() {
    var config = sequences("remember", List.of(), state(DataType.BYTES, 2));
    try (var model = OpenModel.of(TestModels.underTest(config));
        var batch = new TestBatch(model.config())) {
      batch
          .add(List.of(strings("IN", "a", ""), strings("STATE_IN", "x", "long")))
          .addPadding(List.of(strings("IN", "no", "where"), strings("STATE_IN", "", "")))
          .add(List.of(strings("IN", "b\0", "cc"), strings("STATE_IN", "", "y")));

      var execution = model.execute(batch);

      Tensors.assertSame(Tensors.named(execution.outputs(0), "OUT"), strings("OUT", "x", "long"));
      Tensors.assertSame(written(execution, 0), strings("STATE_OUT", "a", ""));
      assertThat(execution.states().get(1)).isEmpty();
      Tensors.assertSame(written(execution, 2), strings("STATE_OUT", "b\0", "cc"));
    }
  }

  @Test
  void writesAGrowingStateInAModelWithoutBatchDimension() {
    var config =
        sequences("append", List.of(), state(DataType.FP32, -1))
            .withSignature(
                0,
                List.of(TensorConfig.of("IN", DataType.FP32, Shape.of(-1))),
                List.of(TensorConfig.of("STATE_OUT", DataType.FP32, Shape.of(-1))));
    try (var model = OpenModel.of(TestModels.underTest(config))) {
      var execution =
          model.execute(
              List.of(
                  List.of(
                      TestModels.floats("IN", Shape.of(2), 2, 3),
                      TestModels.floats("STATE_IN", Shape.of(1), 1))));

      var grown = TestModels.floats("STATE_OUT", Shape.of(3), 1, 2, 3);
      Tensors.assertSame(written(execution, 0), grown);
      Tensors.assertSame(Tensors.named(execution.outputs(0), "STATE_OUT"), grown);
    }
  }

  private static InferenceException completionFailure(ModelConfig config) {
    try (var backend = new OnnxBackendProvider().open(TestContext.of("onnxruntime"))) {
      return catchThrowableOfType(
          InferenceException.class,
          () -> backend.complete(TestModels.files(config.name()), config));
    }
  }

  private static InferenceException completionFailure(Control control, State state) {
    return completionFailure(sequences("accumulate", List.of(control, ID), state));
  }

  private static Control start(String name, DataType type) {
    return new Control(name, Kind.CONTROL_SEQUENCE_START, type, 0, 1);
  }

  @Test
  void rejectsAControlThatDiffersFromTheFile() {
    var state = state(DataType.INT32, 1);
    var missing = completionFailure(start("BEGIN", DataType.INT32), state);
    assertThat(missing)
        .hasMessage(
            "configuration specified sequence control 'BEGIN', but model does not provide that"
                + " input");
    assertThat(missing.code()).isEqualTo(StatusCode.INTERNAL);
    assertThat(completionFailure(start("START", DataType.FP32), state))
        .hasMessage(
            "unable to load model 'accumulate', sequence control 'START', the model expects"
                + " data-type TYPE_INT32 but the model configuration specifies data-type"
                + " TYPE_FP32");
  }

  @Test
  void rejectsAControlOfMoreThanOneElement() {
    var config =
        sequences("simple", List.of(start("INPUT1", DataType.INT32)))
            .withSignature(
                8, List.of(TensorConfig.of("INPUT0", DataType.INT32, Shape.of(16))), List.of());
    assertThat(completionFailure(config))
        .hasMessage(
            "unable to load model 'simple', sequence control 'INPUT1' in model has dims [16] but"
                + " dims [1] is expected");
  }

  @Test
  void rejectsAStateThatDiffersFromTheFile() {
    var input =
        new State("S", "STATE_OUT", DataType.INT32, Shape.of(1), Optional.empty(), false, false);
    assertThat(completionFailure(START, input))
        .hasMessage(
            "unable to load model 'accumulate', configuration specified state input 'S', but model"
                + " does not provide that input");
    var output =
        new State("STATE_IN", "S", DataType.INT32, Shape.of(1), Optional.empty(), false, false);
    assertThat(completionFailure(START, output))
        .hasMessage(
            "unable to load model 'accumulate', configuration specified state output 'S', but"
                + " model does not provide that output");
    assertThat(completionFailure(START, state(DataType.FP32, 1)))
        .hasMessage(
            "unable to load model 'accumulate', configuration expects datatype TYPE_FP32 for state"
                + " input 'STATE_IN', model provides TYPE_INT32");
    assertThat(completionFailure(START, state(DataType.INT32, 2)))
        .hasMessageStartingWith(
            "model 'accumulate', tensor 'STATE_IN': the model expects shape [-1,1] but the model"
                + " configuration specifies shape [-1,2]");
  }

  @Test
  void countsControlsAndStatesAmongTheInputs() {
    var config =
        sequences("accumulate", List.of(START), state(DataType.INT32, 1))
            .withSignature(
                8, List.of(TensorConfig.of("IN", DataType.INT32, Shape.of(1))), List.of());
    assertThat(completionFailure(config))
        .hasMessage(
            "unable to load model 'accumulate', configuration expects 3 inputs, model provides 4");
  }
}

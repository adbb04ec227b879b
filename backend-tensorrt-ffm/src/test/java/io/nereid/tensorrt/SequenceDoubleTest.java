package io.nereid.tensorrt;

import static io.nereid.tensorrt.TestPlans.bare;
import static io.nereid.tensorrt.TestPlans.ints;
import static io.nereid.tensorrt.TestPlans.underTest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Control;
import io.nereid.config.SequenceSettings.Control.Kind;
import io.nereid.config.SequenceSettings.State;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.config.TensorConfig;
import io.nereid.tck.execution.TestBatch;
import io.nereid.tck.support.Tensors;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import io.nereid.tensorrt.doubles.PlanText;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Controls and states of sequences, with the doubles. */
@UsesDoubles
class SequenceDoubleTest {
  private static final Control START =
      new Control("START", Kind.CONTROL_SEQUENCE_START, DataType.INT32, 0, 1);

  /** {@code OUT} is the input and the control; the new state is the input and the old state. */
  private static PlanText accumulate() {
    var plan = new PlanText();
    for (String input : List.of("IN", "START", "STATE_IN")) {
      plan.input(input, DataType.INT32, -1, 1)
          .range(input, 0, Shape.of(1, 1), Shape.of(2, 1), Shape.of(4, 1));
    }
    return plan.output("OUT", DataType.INT32, "add IN START", -1, 1)
        .output("STATE_OUT", DataType.INT32, "add IN STATE_IN", -1, 1);
  }

  private static ModelConfig sequences(State... states) {
    return bare("m")
        .withScheduling(
            new SequenceSettings(
                1_000_000, List.of(START), new Strategy.Direct(0, 0), List.of(states), false));
  }

  private static State state(DataType type, long... dims) {
    return new State("STATE_IN", "STATE_OUT", type, Shape.of(dims), Optional.empty(), false, false);
  }

  private static ServedModel open(ModelConfig config) {
    return ServedModel.open(underTest(config, accumulate(), Map.of()));
  }

  private static Tensor int32(String name, int value) {
    return ints(name, Shape.of(1, 1), value);
  }

  private static List<Tensor> row(int value, int start, int state) {
    return List.of(int32("IN", value), int32("START", start), int32("STATE_IN", state));
  }

  @Test
  void controlsAndStatesAreNoInputsAndOutputsOfTheConfiguration() {
    try (var served = open(sequences(state(DataType.INT32, 1)))) {
      assertThat(served.config().maxBatchSize()).isEqualTo(4);
      assertThat(served.config().inputs())
          .containsExactly(TensorConfig.of("IN", DataType.INT32, Shape.of(1)));
      assertThat(served.config().outputs())
          .containsExactly(TensorConfig.of("OUT", DataType.INT32, Shape.of(1)));
    }
  }

  @Test
  void readsControlsAndStatesAndWritesTheStateOfEachSequence() {
    try (var served = open(sequences(state(DataType.INT32, 1)))) {
      for (int round = 0; round < 3; round++) {
        var flight = served.execute(List.of(row(5, 1, 100), row(7, 0, 30)));

        Tensors.assertSame(flight.output(0, "OUT"), int32("OUT", 6));
        Tensors.assertSame(flight.output(1, "OUT"), int32("OUT", 7));
        Tensors.assertSame(flight.state(0, "STATE_OUT"), int32("STATE_OUT", 105));
        Tensors.assertSame(flight.state(1, "STATE_OUT"), int32("STATE_OUT", 37));
      }
    }
  }

  @Test
  void writesNoStateForPadding() {
    try (var served = open(sequences(state(DataType.INT32, 1)))) {
      var batch = new TestBatch(served.config());
      batch.add(row(1, 1, 0)).addPadding(row(2, 1, 0)).add(row(3, 1, 0));

      var flight = served.execute(batch);

      Tensors.assertSame(flight.output(2, "OUT"), int32("OUT", 4));
      assertThat(flight.states().get(1)).isEmpty();
      Tensors.assertSame(flight.state(2, "STATE_OUT"), int32("STATE_OUT", 3));
    }
  }

  @Test
  void returnsAStateAsAnOutputToo() {
    var outputs =
        List.of(
            TensorConfig.of("OUT", DataType.INT32, Shape.of(1)),
            TensorConfig.of("STATE_OUT", DataType.INT32, Shape.of(1)));
    try (var served =
        open(sequences(state(DataType.INT32, 1)).withSignature(4, List.of(), outputs))) {
      var flight = served.execute(List.of(row(5, 1, 100)));

      Tensors.assertSame(flight.output(0, "STATE_OUT"), int32("STATE_OUT", 105));
      Tensors.assertSame(flight.state(0, "STATE_OUT"), int32("STATE_OUT", 105));
    }
  }

  @Test
  void rejectsStatesThatTheEngineHasNot() {
    assertThatThrownBy(() -> open(sequences(state(DataType.FP32, 1))).close())
        .hasMessage(
            "unexpected datatype TYPE_INT32 for state input 'STATE_IN', expecting TYPE_FP32 for m");
    var other =
        new State("S", "STATE_OUT", DataType.INT32, Shape.of(1), Optional.empty(), false, false);
    assertThatThrownBy(() -> open(sequences(other)).close())
        .hasMessage(
            "unable to load model 'm', unexpected state input 'S', allowed inputs are: IN, START,"
                + " STATE_IN");
  }
}

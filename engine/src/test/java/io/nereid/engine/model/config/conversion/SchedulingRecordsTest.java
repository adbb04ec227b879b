package io.nereid.engine.model.config.conversion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.TextFormat;
import io.nereid.config.BatchingSettings;
import io.nereid.config.EnsembleSettings;
import io.nereid.config.QueuePolicy;
import io.nereid.config.QueuePolicy.TimeoutAction;
import io.nereid.config.SchedulingSettings;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Control;
import io.nereid.config.SequenceSettings.Control.Kind;
import io.nereid.config.SequenceSettings.InitialState;
import io.nereid.config.SequenceSettings.State;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SchedulingRecordsTest {
  @Test
  void readsEveryFieldOfDynamicBatching() throws IOException {
    assertThat(golden("full"))
        .isEqualTo(
            new BatchingSettings(
                List.of(4, 8),
                -1, // unsigned
                true,
                10,
                2,
                new QueuePolicy(TimeoutAction.DELAY, 9_007_199_254_740_993L, true, 16),
                Map.of(10L, QueuePolicy.NONE)));
  }

  @Test
  void readsEveryFieldOfASequenceBatcher() throws IOException {
    var zero = new InitialState("zero", DataType.INT32, Shape.of(1), Optional.empty());
    var state = new State("SI", "SO", DataType.INT32, Shape.of(-1), Optional.of(zero), true, true);

    assertThat(golden("sequence"))
        .isEqualTo(
            new SequenceSettings(
                7,
                List.of(
                    new Control("START", Kind.CONTROL_SEQUENCE_START, DataType.INT32, 0, 1),
                    new Control("START", Kind.CONTROL_SEQUENCE_END, DataType.FP32, -0.5, 1),
                    new Control("START", Kind.CONTROL_SEQUENCE_READY, DataType.BOOL, 0, 1),
                    new Control("ID", Kind.CONTROL_SEQUENCE_CORRID, DataType.UINT64, 0, 0)),
                new Strategy.Direct(5, 0.1f),
                List.of(state),
                true));
  }

  @Test
  void readsEveryFieldOfTheOldestStrategyAndOfAnInitialStateFile() throws IOException {
    var file = new InitialState("file", DataType.BYTES, Shape.of(2, 1), Optional.of("first"));
    var state =
        new State("SI", "SO", DataType.BYTES, Shape.of(2, -1), Optional.of(file), false, false);

    assertThat(golden("oldest"))
        .isEqualTo(
            new SequenceSettings(
                7,
                List.of(),
                new Strategy.Oldest(3, List.of(2, 4), 5, true),
                List.of(state),
                false));
  }

  @Test
  void readsEveryFieldOfAnEnsemble() throws IOException {
    var step =
        new EnsembleSettings.Step(
            "first", OptionalLong.empty(), Map.of("IN", "in"), Map.of("OUT", "out"));

    assertThat(golden("ensemble")).isEqualTo(new EnsembleSettings(List.of(step), 3));
  }

  @Test
  void readsTheVersionOfAStep() throws IOException {
    var fixed = record("ensemble_scheduling { step { model_version: 3 } }");

    assertThat(((EnsembleSettings) fixed).steps().getFirst().modelVersion()).hasValue(3);
  }

  @Test
  void theDefaultsAreTheDirectStrategyAndTheDirectScheduler() throws IOException {
    assertThat(record("")).isEqualTo(new SchedulingSettings.Direct());
    assertThat(((SequenceSettings) record("sequence_batching {}")).strategy())
        .isEqualTo(new Strategy.Direct(0, 0));
  }

  @Test
  void readsTheFirstOfStatesThatShareAnInputOrAnOutput() throws IOException {
    var sequences =
        (SequenceSettings)
            record(
                "sequence_batching {"
                    + " state { input_name: 'a' output_name: 'x' data_type: TYPE_FP32 dims: 1 }"
                    + " state { input_name: 'a' output_name: 'y' data_type: TYPE_FP32 dims: 1 }"
                    + " state { input_name: 'b' output_name: 'x' data_type: TYPE_FP32 dims: 1 }"
                    + " state { input_name: 'b' output_name: 'y' data_type: TYPE_FP32 dims: 1 } }");

    assertThat(sequences.states())
        .extracting(state -> state.inputName() + state.outputName())
        .containsExactly("ax", "by");
  }

  @Test
  void rejectsAStateWithoutAType() {
    assertThatThrownBy(() -> record("sequence_batching { state { input_name: 's' dims: 1 } }"))
        .hasMessage("model sequence state 's' must specify 'data_type' for m");
  }

  @ParameterizedTest
  @ValueSource(strings = {"full", "sequence", "oldest"})
  void readsWhatSchedulingMessagesWrites(String name) throws IOException {
    SchedulingSettings settings = golden(name);

    ModelConfig written = SchedulingMessages.message(settings);

    assertThat(SchedulingRecords.record(written)).isEqualTo(settings);
  }

  private static SchedulingSettings golden(String name) throws IOException {
    return record(ModelConfigJsonTest.resource(name + ".pbtxt"));
  }

  private static SchedulingSettings record(String text) throws IOException {
    return SchedulingRecords.record(
        TextFormat.parse(text, ModelConfig.class).toBuilder().setName("m").build());
  }
}

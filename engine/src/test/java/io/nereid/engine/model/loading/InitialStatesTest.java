package io.nereid.engine.model.loading;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.InitialState;
import io.nereid.config.SequenceSettings.State;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InitialStatesTest {
  @TempDir private Path repository;

  @Test
  void areZerosByDefaultWithVariableDimensionsOfOne() {
    var tensor = read(0, state(DataType.INT32, Shape.of(2, -1), Optional.empty()));

    assertThat(tensor.shape()).isEqualTo(Shape.of(2, 1));
    assertThat(tensor.dataType()).isEqualTo(DataType.INT32);
    assertThat(tensor.data().toArray(JAVA_BYTE)).isEqualTo(new byte[8]);
  }

  @Test
  void areZerosOfTheInitialShape() {
    var zeros = initial(DataType.FP64, Shape.of(3), Optional.empty());

    var tensor = read(4, state(DataType.FP64, Shape.of(-1), Optional.of(zeros)));

    assertThat(tensor.shape()).isEqualTo(Shape.of(1, 3));
    assertThat(tensor.data().toArray(JAVA_BYTE)).isEqualTo(new byte[24]);
  }

  @Test
  void areEmptyStringsByDefaultForStrings() {
    var tensor = read(0, state(DataType.BYTES, Shape.of(2), Optional.empty()));

    assertThat(tensor.data().toArray(JAVA_BYTE)).isEqualTo(new byte[8]);
  }

  @Test
  void areTheFirstBytesOfAFile() {
    file("abcde");

    var tensor = read(0, fromFile(DataType.INT8, Shape.of(4)));

    assertThat(tensor.data().toArray(JAVA_BYTE)).isEqualTo(new byte[] {'a', 'b', 'c', 'd'});
    assertThat(tensor.data().isReadOnly()).isTrue();
  }

  @Test
  void areTheStringsOfAFile() {
    file("\1\0\0\0a\0\0\0\0");

    var tensor = read(0, fromFile(DataType.BYTES, Shape.of(2)));

    assertThat(tensor.byteSize()).isEqualTo(9);
  }

  @Test
  void rejectsAFileThatIsTooSmall() {
    file("abc");

    rejects(
        fromFile(DataType.INT8, Shape.of(4)),
        "initial_state setting expects 4 bytes, but the data provided from first"
            + "only has 3 bytes.");
  }

  @Test
  void rejectsAFileWithTooFewOrTruncatedStrings() {
    file("\1\0\0\0a");
    rejects(
        fromFile(DataType.BYTES, Shape.of(2)),
        "initial_state setting expects 2 strings for state 'i', but first has 1");

    file("\3\0\0\0a");
    rejects(
        fromFile(DataType.BYTES, Shape.of(1)),
        "initial_state of state 'i' from first: element 0 is cut off: 1 of 3 bytes");
  }

  @Test
  void rejectsAFileThatIsMissingOrOutsideTheModel() throws Exception {
    rejects(
        fromFile(DataType.INT8, Shape.of(1)),
        "initial_state file 'first' for state input 'i' in model 'm' does not exist");

    Files.writeString(repository.resolve("secret"), "x");
    var outside = initial(DataType.INT8, Shape.of(1), Optional.of("../../secret"));
    rejects(
        state(DataType.INT8, Shape.of(1), Optional.of(outside)),
        "initial_state file '../../secret' for state input 'i' in model 'm' is outside model"
            + " directory");
  }

  @Test
  void rejectsAStateThatExceedsTheMaximumSize() {
    rejects(
        state(DataType.INT8, Shape.of(1L << 32), Optional.empty()),
        "model 'm': the initial state of 'i', of shape [4294967296], exceeds the maximum byte size"
            + " of 2147483639");
    rejects(
        state(DataType.INT64, Shape.of(1L << 32, 1L << 32), Optional.empty()),
        "model 'm': the initial state of 'i', of shape [4294967296,4294967296], exceeds the"
            + " maximum byte size of 2147483639");
  }

  @Test
  void aModelWithoutSequencesHasNone() {
    assertThat(InitialStates.read(model().directory(), ModelConfig.of("m", "b"))).isEmpty();
  }

  private ModelOnDisk model() {
    return ModelOnDisk.named(repository, "m");
  }

  private void file(String content) {
    model().withFile("initial_state/first", content);
  }

  private static InitialState initial(DataType type, Shape dims, Optional<String> file) {
    return new InitialState("n", type, dims, file);
  }

  private static State state(DataType type, Shape dims, Optional<InitialState> initial) {
    return new State("i", "o", type, dims, initial, false, false);
  }

  private static State fromFile(DataType type, Shape dims) {
    return state(type, dims, Optional.of(initial(type, dims, Optional.of("first"))));
  }

  private Tensor read(int maxBatchSize, State state) {
    var settings =
        new SequenceSettings(
            1_000_000, List.of(), new Strategy.Direct(0, 0), List.of(state), false);
    var tensors =
        InitialStates.read(
            model().directory(),
            ModelConfig.of("m", "b")
                .withSignature(maxBatchSize, List.of(), List.of())
                .withScheduling(settings));
    assertThat(tensors).containsOnlyKeys("i");
    return tensors.values().iterator().next();
  }

  private void rejects(State state, String message) {
    assertThatThrownBy(() -> read(0, state))
        .hasMessage(message)
        .isInstanceOfSatisfying(
            InferenceException.class,
            failure -> assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT));
  }
}

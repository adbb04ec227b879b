package io.nereid.engine.execution.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.SequenceSettings.Control;
import io.nereid.config.SequenceSettings.Control.Kind;
import io.nereid.engine.testing.Failures;
import io.nereid.error.StatusCode;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Control inputs of sequence models. */
class SequenceControlsTest extends ExecutionDriver {
  private static Control flag(Kind kind, DataType type) {
    return new Control(kind.name(), kind, type, 0, 1);
  }

  private static Control id(DataType type) {
    return new Control("ID", Kind.CONTROL_SEQUENCE_CORRID, type, 0, 0);
  }

  private static double number(Tensor tensor, int index) {
    return switch (tensor.dataType()) {
      case FP32 -> tensor.data().get(Elements.FLOAT, 4L * index);
      case INT32, UINT32 -> tensor.data().get(Elements.INT, 4L * index);
      case INT64, UINT64 -> tensor.data().get(Elements.LONG, 8L * index);
      default -> tensor.data().get(Elements.BYTE, index);
    };
  }

  @Test
  void aRequestOfASequenceIsNotDetached() {
    controls(flag(Kind.CONTROL_SEQUENCE_START, DataType.INT32));
    add(Place.first(1), 1);
    BatchResults results = results();

    Failures.assertRejected(
        StatusCode.UNSUPPORTED,
        "model 'm' is a sequence model, whose requests cannot be detached: the next request of a"
            + " sequence runs once this execution has returned",
        () -> results.detach(0));
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"FP32", "INT32", "BOOL"})
  void flagsTellTheStartTheEndAndReadyRows(DataType type) {
    controls(
        flag(Kind.CONTROL_SEQUENCE_START, type),
        flag(Kind.CONTROL_SEQUENCE_END, type),
        flag(Kind.CONTROL_SEQUENCE_READY, type));
    add(Place.first(1), 1);
    execution.pad();
    add(Place.middle("b"), 2);
    add(Place.last(3), 3);
    RequestBatch batch = batch();

    double[][] expected = {{1, 0, 0, 0}, {0, 0, 0, 1}, {1, 0, 1, 1}};
    Kind[] kinds = {
      Kind.CONTROL_SEQUENCE_START, Kind.CONTROL_SEQUENCE_END, Kind.CONTROL_SEQUENCE_READY
    };
    for (int k = 0; k < kinds.length; k++) {
      Tensor column = batch.gathered(kinds[k].name()).orElseThrow();
      assertThat(column.shape()).isEqualTo(Shape.of(4, 1));
      for (int row = 0; row < 4; row++) {
        Tensor one = batch.input(row, kinds[k].name()).orElseThrow();
        assertThat(one.dataType()).isEqualTo(type);
        assertThat(one.shape()).isEqualTo(Shape.of(1, 1));
        assertThat(number(one, 0)).isEqualTo(expected[k][row]);
        assertThat(number(column, row)).isEqualTo(expected[k][row]);
      }
    }
  }

  @Test
  void aFlagHasItsConfiguredValues() {
    controls(new Control("S", Kind.CONTROL_SEQUENCE_START, DataType.INT32, -7, 9));
    add(Place.first(1), 1);
    add(Place.last(1), 1);

    assertThat(Tensors.values(batch().gathered("S").orElseThrow())).containsExactly(9, -7);
  }

  @Test
  void anIdIsTruncatedToItsTypeAndZeroInPadding() {
    long id = 0x1_0000_0007L;
    for (DataType type : List.of(DataType.UINT64, DataType.INT64)) {
      assertThat(ids(type, id)).containsExactly((double) id, 0.0, (double) id, 0.0);
    }
    for (DataType type : List.of(DataType.UINT32, DataType.INT32)) {
      assertThat(ids(type, id)).containsExactly(7.0, 0.0, 7.0, 0.0);
    }
  }

  /** An id and padding, row by row and gathered. */
  private List<Double> ids(DataType type, long id) {
    sequences.close();
    execution.clear();
    controls(id(type));
    add(Place.first(id), 1);
    execution.pad();
    RequestBatch batch = batch();
    Tensor column = batch.gathered("ID").orElseThrow();
    return List.of(
        number(batch.input(0, "ID").orElseThrow(), 0),
        number(batch.input(1, "ID").orElseThrow(), 0),
        number(column, 0),
        number(column, 1));
  }

  @Test
  void aStringIdIsOneElement() {
    controls(id(DataType.BYTES));
    add(Place.middle("größe"), 1);
    execution.pad();
    add(Place.middle("b"), 2);
    add(Place.first(18), 3); // an id that the server has chosen
    RequestBatch batch = batch();

    assertThat(Tensors.texts(batch.input(0, "ID").orElseThrow())).containsExactly("größe");
    assertThat(Tensors.texts(batch.input(1, "ID").orElseThrow())).containsExactly("");
    assertThat(Tensors.texts(batch.gathered("ID").orElseThrow()))
        .containsExactly("größe", "", "b", "18");
  }

  @Test
  void controlsHaveOneDimensionWithoutBatching() {
    model(config(0, List.of(flag(Kind.CONTROL_SEQUENCE_START, DataType.INT32)), List.of()));
    add(Place.first(1), 1);

    Tensor start = batch().gathered("CONTROL_SEQUENCE_START").orElseThrow();

    assertThat(start.shape()).isEqualTo(Shape.of(1));
    assertThat(Tensors.values(start)).containsExactly(1);
  }
}

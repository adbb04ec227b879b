package io.nereid.tck.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Control;
import io.nereid.config.SequenceSettings.Control.Kind;
import io.nereid.tck.execution.TestBatch;
import io.nereid.tck.scheduler.TestRequest;
import io.nereid.tck.support.Samples;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

class ControlsTest {
  private static final Control START =
      new Control("START", Kind.CONTROL_SEQUENCE_START, DataType.FP32, 0, 1);
  private static final Control READY =
      new Control("READY", Kind.CONTROL_SEQUENCE_READY, DataType.FP32, 10, 20);
  private static final Control ID =
      new Control("ID", Kind.CONTROL_SEQUENCE_CORRID, DataType.BYTES, 0, 0);

  private static Controls read(List<Control> controls, Tensor... inputs) {
    var settings =
        new SequenceSettings(
            0, controls, new SequenceSettings.Strategy.Direct(0, 0), List.of(), false);
    try (var batch = new TestBatch(ModelConfig.of("sequence", GateBackend.NAME))) {
      batch.add(List.of(inputs));
      return Controls.read(settings, batch, 0);
    }
  }

  @Test
  void readsEachControlByTheValuesThatItHas() {
    var controls =
        read(
            List.of(START, READY),
            TestRequest.fp32("START", 1, 1, 1),
            TestRequest.fp32("READY", 10, 1, 1));

    assertThat(controls.start()).isTrue();
    assertThat(controls.ready()).isFalse();
    assertThat(controls.end()).as("not declared").isFalse();
  }

  @Test
  void readsACorrelationIdThatIsText() {
    byte[] id = Samples.strings("séquence");
    var input = new Tensor("ID", DataType.BYTES, Shape.of(1, 1), MemorySegment.ofArray(id));

    assertThat(read(List.of(ID), input).correlationId()).isEqualTo("séquence");
  }

  @Test
  void rejectsAControlThatIsMissingOrHasNeitherOfItsValues() {
    assertThatThrownBy(() -> read(List.of(START))).hasMessageContaining("START");
    assertThatThrownBy(() -> read(List.of(START), TestRequest.fp32("START", 0.5f, 1, 1)))
        .hasMessageContaining("0.5");
  }

  @Test
  void addsAStateToAnInputAndRepeatsASmallerOne() {
    var sum = GateWork.sum(TestRequest.int32("IN0", 1, 2, 3), TestRequest.int32("STATE", 10));

    assertThat(sum.data().mismatch(TestRequest.int32("", 11, 12, 13).data())).isEqualTo(-1);
    assertThat(sum.shape()).isEqualTo(Shape.of(3));
  }
}

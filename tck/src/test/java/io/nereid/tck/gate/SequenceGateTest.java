package io.nereid.tck.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Control;
import io.nereid.config.SequenceSettings.Control.Kind;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.execution.TestBatch;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.scheduler.TestRequest;
import io.nereid.tck.support.Tensors;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The gate as a model of sequences that carries a sum from one request to the next. */
class SequenceGateTest {
  private static final String NAME = "summed";
  private static final SequenceSettings SEQUENCES =
      new SequenceSettings(
          1_000_000,
          List.of(new Control("READY", Kind.CONTROL_SEQUENCE_READY, DataType.FP32, 0, 1)),
          new SequenceSettings.Strategy.Direct(0, 0),
          List.of(
              new SequenceSettings.State(
                  "SUM_IN",
                  "SUM_OUT",
                  DataType.FP32,
                  Shape.of(-1),
                  Optional.empty(),
                  false,
                  false)),
          false);

  private final Gate gate = Gate.of(NAME);

  @BeforeEach
  void open() {
    gate.openAll();
  }

  @AfterEach
  void forget() {
    Gate.forget(NAME);
  }

  private static OpenModel model() {
    var plain = GatedModels.named(NAME, Map.of("gate_accumulate", "true"));
    return OpenModel.of(
        BackendUnderTest.of(
            plain.provider(), plain.files(), plain.config().withScheduling(SEQUENCES)));
  }

  /** A row of five elements, and a state of one. */
  private static List<Tensor> row(float input, float state, float ready) {
    return List.of(
        TestRequest.fp32("IN0", input, 1, 5),
        TestRequest.fp32("IN1", input, 1, 5),
        TestRequest.fp32("SUM_IN", state, 1, 1),
        TestRequest.fp32("READY", ready, 1, 1));
  }

  @Test
  void showsAndKeepsTheSumOfInputAndState() {
    try (var model = model();
        var batch = new TestBatch(model.config()).add(row(2, 3, 1))) {
      var execution = model.execute(batch);

      Tensors.assertSame(
          Tensors.named(execution.outputs(0), "OUT0"), TestRequest.fp32("OUT0", 5, 1, 5));
      assertThat(execution.states().getFirst())
          .hasEntrySatisfying(
              "SUM_OUT", state -> Tensors.assertSame(state, TestRequest.fp32("SUM_OUT", 5, 1, 5)));
    }
  }

  @Test
  void keepsAStateAsSet() {
    gate.reply("request-0", Reply.ECHO.withoutCommit());
    try (var model = model();
        var batch = new TestBatch(model.config()).add(row(2, 3, 1))) {
      var execution = model.execute(batch);

      assertThat(execution.outputs(0).tensors()).containsKey("OUT0");
      assertThat(execution.states().getFirst()).isEmpty();
    }
  }

  @Test
  void recordsPaddingControlsAndStates() {
    try (var model = model();
        var batch = new TestBatch(model.config())) {
      batch.addPadding(row(0, 0, 0)).add(row(2, 3, 1));
      assertThat(model.execute(batch).violations()).isEmpty();

      Execution execution = gate.executions().getFirst();
      assertThat(execution.ids()).containsExactly("", "request-1");
      assertThat(execution.paddingRows()).isEqualTo(1);
      assertThat(execution.requests())
          .extracting(request -> request.controls().orElseThrow().ready())
          .containsExactly(false, true);
      assertThat(execution.requests().getLast().states())
          .hasEntrySatisfying(
              "SUM_IN", state -> Tensors.assertSame(state, TestRequest.fp32("SUM_IN", 3, 1, 1)));
    }
  }
}

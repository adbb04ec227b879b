package io.nereid.tensorrt;

import static io.nereid.tensorrt.TestPlans.bare;
import static io.nereid.tensorrt.TestPlans.floats;
import static io.nereid.tensorrt.TestPlans.underTest;
import static io.nereid.tensorrt.TestPlans.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.BatchInput;
import io.nereid.config.BatchInput.Kind;
import io.nereid.config.BatchOutput;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import io.nereid.tensorrt.doubles.PlanText;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Ragged inputs, computed batch inputs, and outputs that are split by input shapes. */
@UsesDoubles
class RaggedDoubleTest {
  /** The doubled elements of all requests, and what the server has computed. */
  private static final PlanText PLAN =
      new PlanText()
          .input("IN", DataType.FP32, -1)
          .range("IN", 0, Shape.of(1), Shape.of(16), Shape.of(64))
          .input("COUNT", DataType.FP32, -1)
          .range("COUNT", 0, Shape.of(1), Shape.of(4), Shape.of(8))
          .output("DOUBLED", DataType.FP32, "scale IN 2 0", -1)
          .output("COUNT_OUT", DataType.FP32, "identity COUNT", -1);

  private static ModelConfig config(Kind kind) {
    var in =
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
    var count =
        new TensorConfig(
            "COUNT_OUT",
            DataType.FP32,
            Shape.of(1),
            Optional.of(Shape.of()),
            false,
            false,
            false,
            TensorConfig.Format.FORMAT_NONE,
            "");
    var doubled = TensorConfig.of("DOUBLED", DataType.FP32, Shape.of(-1));
    return with(
        bare("m").withSignature(4, List.of(in), List.of(doubled, count)),
        List.of(new BatchInput(kind, List.of("COUNT"), DataType.FP32, "IN")),
        List.of(new BatchOutput("DOUBLED", "IN")));
  }

  private static List<Tensor> request(float... values) {
    return List.of(floats("IN", Shape.of(1, values.length), values));
  }

  @Test
  void joinsTheElementsOfAllRequestsAndSplitsTheOutputByThem() {
    try (var served =
        ServedModel.open(underTest(config(Kind.BATCH_ELEMENT_COUNT), PLAN, Map.of()))) {
      for (int round = 0; round < 3; round++) {
        var flight =
            served.execute(List.of(request(1, 2, 3), request(4), request(), request(5, 6)));

        assertThat(floats(flight.output(0, "DOUBLED"))).containsExactly(2, 4, 6);
        assertThat(flight.output(2, "DOUBLED").shape()).isEqualTo(Shape.of(1, 0));
        assertThat(floats(flight.output(3, "DOUBLED"))).containsExactly(10, 12);
        for (int i = 0; i < 4; i++) {
          assertThat(floats(flight.output(i, "COUNT_OUT")))
              .containsExactly(new float[] {3, 1, 0, 2}[i]);
        }
      }
    }
  }

  @Test
  void computesAccumulatedCounts() {
    try (var served =
        ServedModel.open(underTest(config(Kind.BATCH_ACCUMULATED_ELEMENT_COUNT), PLAN, Map.of()))) {
      var flight = served.execute(List.of(request(1, 2, 3), request(4)));

      assertThat(floats(flight.output(0, "COUNT_OUT"))).containsExactly(3);
      assertThat(floats(flight.output(1, "COUNT_OUT"))).containsExactly(4);
    }
  }
}

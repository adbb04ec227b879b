package io.nereid.tensorrt.signature;

import static io.nereid.tensorrt.signature.Plans.batching;
import static io.nereid.tensorrt.signature.Plans.config;
import static io.nereid.tensorrt.signature.Plans.floats;
import static io.nereid.tensorrt.signature.Plans.plan;
import static io.nereid.tensorrt.signature.Plans.range;
import static io.nereid.tensorrt.signature.Plans.shapes;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;

class SignatureCheckTest {
  private static AbstractThrowableAssert<?, ?> rejection(PlanSignature plan, ModelConfig config) {
    return assertThatThrownBy(() -> new SignatureCheck(plan, config).check());
  }

  private static ModelConfig of(TensorConfig input) {
    return config(8, List.of(input), floats("OUT", 4));
  }

  @Test
  void acceptsWhatTheEngineHas() {
    assertThatCode(() -> new SignatureCheck(batching(), of(floats("IN", 4))).check())
        .doesNotThrowAnyException();
  }

  @Test
  void wildcardsAgreeWithAnyDimensionOfTheEngine() {
    assertThatCode(() -> new SignatureCheck(batching(), of(floats("IN", -1))).check())
        .doesNotThrowAnyException();
  }

  @Test
  void namesBothTypes() {
    rejection(batching(), of(TensorConfig.of("IN", DataType.INT32, Shape.of(4))))
        .hasMessage(
            "unexpected datatype TYPE_FP32 for inference input 'IN', expecting TYPE_INT32 for m");
  }

  @Test
  void namesBothShapes() {
    rejection(batching(), of(floats("IN", 5)))
        .hasMessage(
            "model 'm', tensor 'IN': the model expects 2 dimensions (shape [-1,4]) but the model"
                + " configuration specifies 2 dimensions (an initial batch dimension because"
                + " max_batch_size > 0 followed by the explicit tensor shape, making complete"
                + " shape [-1,5])");
  }

  @Test
  void namesTheInputsThatTheEngineHas() {
    rejection(batching(), of(floats("INPUT", 4)))
        .hasMessage(
            "unable to load model 'm', unexpected inference input 'INPUT', allowed inputs are: IN");
  }

  @Test
  void namesTheTensorThatTheConfigurationLacks() {
    rejection(batching(), config(8, List.of(floats("IN", 4))))
        .hasMessage("expected configuration for output 'OUT' for m");
  }

  @Test
  void countsTheInputs() {
    rejection(batching(), config(8, List.of(floats("IN", 4), floats("X", 4)), floats("OUT", 4)))
        .hasMessage(
            "unable to load model 'm', configuration expects 2 inputs, model provides at most 1");
  }

  @Test
  void rejectsOptionalInputs() {
    var optional =
        new TensorConfig(
            "IN",
            DataType.FP32,
            Shape.of(4),
            Optional.empty(),
            true,
            false,
            false,
            TensorConfig.Format.FORMAT_NONE,
            "");
    rejection(batching(), of(optional))
        .hasMessage(
            "unable to load model 'm', optional input 'IN' is not supported by TensorRT engines");
  }

  @Test
  void shapeTensorsAreMarkedExactlyWhereTheEngineHasThem() {
    var values = new InputRange(Shape.of(1), Shape.of(4), Shape.of(8));
    var plan = plan().shapeInput("SHAPE", values).build();

    rejection(plan, config(0, List.of(TensorConfig.of("SHAPE", DataType.INT64, Shape.of(1)))))
        .hasMessage(
            "input 'SHAPE' for model 'm' is a shape tensor but the model configuration doesn't"
                + " mark it as a shape tensor.");
    rejection(
            plan().input("IN", DataType.INT64, range(1, 1, 1)).build(),
            config(0, List.of(shapes("IN", 1))))
        .hasMessage(
            "input 'IN' for model 'm' is incorrectly marked as a shape tensor in the model"
                + " configuration.");
  }

  @Test
  void aShapeTensorHasOneValueFewerThanTheEngineIfTheModelBatches() {
    var values = new InputRange(Shape.of(1, 2), Shape.of(4, 8), Shape.of(8, 16));
    var plan =
        plan()
            .input("IN", range(1, 2, 8, 4))
            .shapeInput("SHAPE", values)
            .output("OUT", -1, -1)
            .build();
    var right = config(8, List.of(floats("IN", 4), shapes("SHAPE", 1)), floats("OUT", -1));
    var wrong = config(8, List.of(floats("IN", 4), shapes("SHAPE", 2)), floats("OUT", -1));

    assertThatCode(() -> new SignatureCheck(plan, right).check()).doesNotThrowAnyException();
    rejection(plan, wrong)
        .hasMessage(
            "unable to load model 'm', binding 'SHAPE' shape expected by framework [2] doesn't"
                + " match model configuration shape [2]");
  }

  @Test
  void rejectsDimensionsOutsideTheProfilesOfAnInstance() {
    var plan =
        plan()
            .input("IN", new InputRange(Shape.of(1, 2), Shape.of(2, 4), Shape.of(8, 6)))
            .output("OUT", -1, -1)
            .build();
    var config = config(8, List.of(floats("IN", 7)), floats("OUT", -1));
    var check = new SignatureCheck(plan, config);

    check.check();
    assertThatThrownBy(() -> check.checkRanges(List.of(0)))
        .hasMessage(
            "model configuration specified invalid shape for input 'IN' for model m. Error"
                + " details: model expected the shape of dimension 1 to be between 2 and 6 but"
                + " received 7");
  }
}

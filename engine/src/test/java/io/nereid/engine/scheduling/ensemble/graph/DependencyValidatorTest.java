package io.nereid.engine.scheduling.ensemble.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.nereid.config.EnsembleSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class DependencyValidatorTest {
  private static final TensorConfig FLOATS = TensorConfig.of("I", DataType.FP32, Shape.of(16));

  record Step(ModelConfig model, Map<String, String> inputs, Map<String, String> outputs) {}

  private static Step step(ModelConfig model, String input, String output) {
    return new Step(model, Map.of("I", input), Map.of("O", output));
  }

  /** A model from I to O. */
  private static ModelConfig model(
      String name, int maxBatchSize, TensorConfig in, TensorConfig out) {
    return ModelConfig.of(name, "fake").withSignature(maxBatchSize, List.of(in), List.of(out));
  }

  private static ModelConfig model(String name) {
    return model(name, 0, FLOATS, named("O", FLOATS));
  }

  private static TensorConfig named(String name, TensorConfig tensor) {
    return tensor(name, tensor.dataType(), tensor.dims(), tensor.reshape(), tensor.optional());
  }

  private static TensorConfig tensor(
      String name, DataType type, Shape dims, Optional<Shape> reshape, boolean optional) {
    return new TensorConfig(
        name, type, dims, reshape, optional, false, false, TensorConfig.Format.FORMAT_NONE, "");
  }

  /** A model of two inputs, I and J. */
  private static ModelConfig join(String name) {
    return model(name)
        .withSignature(0, List.of(FLOATS, named("J", FLOATS)), List.of(named("O", FLOATS)));
  }

  private static ModelConfig ensemble(int maxBatchSize) {
    return ensemble(maxBatchSize, FLOATS);
  }

  private static ModelConfig ensemble(int maxBatchSize, TensorConfig tensor) {
    return model("e", maxBatchSize, named("in", tensor), named("out", tensor));
  }

  private static boolean validate(ModelConfig ensemble, Step... steps) {
    var settings = new ArrayList<EnsembleSettings.Step>();
    var models = new ArrayList<ModelConfig>();
    for (Step step : steps) {
      models.add(step.model());
      settings.add(
          new EnsembleSettings.Step(
              step.model().name(), OptionalLong.empty(), step.inputs(), step.outputs()));
    }
    return DependencyValidator.validate(ensemble, new EnsembleSettings(settings, 0), models);
  }

  static Stream<Arguments> broken() {
    TensorConfig ints = TensorConfig.of("I", DataType.INT32, Shape.of(16));
    TensorConfig longer = TensorConfig.of("I", DataType.FP32, Shape.of(17));
    TensorConfig text = TensorConfig.of("O", DataType.BYTES, Shape.of(16));
    return Stream.of(
        arguments(
            "ensemble e allows maximum batch size 8, but it contains model a which only allows"
                + " maximum batch size to be 4",
            ensemble(8),
            List.of(step(model("a", 4, FLOATS, named("O", FLOATS)), "in", "out"))),
        arguments(
            "in ensemble e, ensemble tensor in is mapping to non-existing input X in model a",
            ensemble(0),
            List.of(new Step(model("a"), Map.of("X", "in"), Map.of("O", "out")))),
        arguments(
            "in ensemble e, ensemble tensor out is mapped from non-existing output X in model a",
            ensemble(0),
            List.of(new Step(model("a"), Map.of("I", "in"), Map.of("X", "out")))),
        arguments(
            "in ensemble e, input J in model a is not mapped to any ensemble tensors",
            ensemble(0),
            List.of(step(join("a"), "in", "out"))),
        arguments(
            "in ensemble e, ensemble tensor in: inconsistent data type: TYPE_FP32 is inferred from"
                + " model e while TYPE_INT32 is inferred from model a",
            ensemble(0),
            List.of(step(model("a", 0, ints, named("O", FLOATS)), "in", "out"))),
        arguments(
            "in ensemble e, ensemble tensor x: inconsistent data type: TYPE_STRING is inferred from"
                + " model a while TYPE_FP32 is inferred from model b",
            ensemble(0),
            List.of(step(model("a", 0, FLOATS, text), "in", "x"), step(model("b"), "x", "out"))),
        arguments(
            "in ensemble e, ensemble tensor in: inconsistent shape: [-1,16] is inferred from model"
                + " e while [-1,17] is inferred from model a",
            ensemble(4),
            List.of(step(model("a", 4, longer, named("O", FLOATS)), "in", "out"))),
        arguments(
            "in ensemble e, step of model 'join' receives inputs originated from different"
                + " decoupled models",
            ensemble(0),
            List.of(
                step(model("a").withDecoupled(true), "in", "x"),
                step(model("b").withDecoupled(true), "in", "y"),
                new Step(join("join"), Map.of("I", "x", "J", "y"), Map.of("O", "out")))),
        arguments(
            "in ensemble e, step of model 'join' receives inputs originated from different"
                + " decoupled models",
            ensemble(0),
            List.of(
                step(model("a").withDecoupled(true), "in", "x"),
                new Step(join("join"), Map.of("I", "x", "J", "in"), Map.of("O", "out")))),
        arguments(
            "in ensemble e, step of model 'e' receives inputs originated from different decoupled"
                + " models",
            ensemble(0)
                .withSignature(
                    0,
                    List.of(named("in", FLOATS)),
                    List.of(named("out", FLOATS), named("more", FLOATS))),
            List.of(
                step(model("a").withDecoupled(true), "in", "out"),
                step(model("b"), "in", "more"))));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("broken")
  void rejects(String message, ModelConfig ensemble, List<Step> steps) {
    assertThatThrownBy(() -> validate(ensemble, steps.toArray(Step[]::new)))
        .isInstanceOf(InferenceException.class)
        .hasMessage(message)
        .extracting("code")
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }

  @Test
  void acceptsTheFullShapeOfABatchingModelInAModelThatDoesNotBatch() {
    var full = TensorConfig.of("I", DataType.FP32, Shape.of(-1, 16));

    assertThat(validate(ensemble(4), step(model("a", 0, full, named("O", full)), "in", "out")))
        .isFalse();
  }

  @Test
  void acceptsTheDimsOfABatchingModelInAModelThatDoesNotBatch() {
    assertThat(validate(ensemble(4), step(model("a"), "in", "out"))).isFalse();
  }

  @Test
  void acceptsAnySizeForAnOpenDimension() {
    var open = TensorConfig.of("I", DataType.FP32, Shape.of(-1));

    assertThat(validate(ensemble(0), step(model("a", 0, open, named("O", open)), "in", "out")))
        .isFalse();
  }

  @Test
  void acceptsAnOptionalInputThatIsNotMapped() {
    ModelConfig model =
        model("a")
            .withSignature(
                0,
                List.of(FLOATS, tensor("J", DataType.FP32, Shape.of(1), Optional.empty(), true)),
                List.of(named("O", FLOATS)));

    assertThat(validate(ensemble(0), step(model, "in", "out"))).isFalse();
  }

  @Test
  void comparesStepsWithTheReshapeOfTheEnsemble() {
    TensorConfig reshaped =
        tensor("in", DataType.FP32, Shape.of(4, 4), Optional.of(Shape.of(16)), false);

    assertThat(validate(ensemble(0, reshaped), step(model("a"), "in", "out"))).isFalse();
  }

  @Test
  void isDecoupledIfOneOfItsModelsIs() {
    assertThat(
            validate(
                ensemble(0),
                step(model("a").withDecoupled(true), "in", "x"),
                step(model("b"), "x", "out")))
        .isTrue();
  }
}

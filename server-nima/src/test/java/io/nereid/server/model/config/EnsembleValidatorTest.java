package io.nereid.server.model.config;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.protobuf.TextFormat;
import io.nereid.error.InferenceException;
import io.nereid.server.protobuf.ModelConfig;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class EnsembleValidatorTest {
  private static final String HEAD =
      "name: 'e' platform: 'ensemble' input { name: 'in' } output { name: 'out' } ";

  static Stream<Arguments> rules() {
    return Stream.of(
        arguments(
            "name: 'e' platform: 'onnxruntime_onnx' ensemble_scheduling {}",
            "ensemble scheduling cannot be set for model 'e' whose platform is not ensemble"),
        arguments(
            HEAD + "instance_group {} ensemble_scheduling {}",
            "instance group should not be specified for ensemble 'e'"),
        arguments(
            HEAD + "optimization {} ensemble_scheduling {}",
            "optimization should not be specified for ensemble 'e'"),
        arguments(
            HEAD + "model_warmup {} ensemble_scheduling {}",
            "model_warmup can not be specified for ensemble 'e'"),
        arguments(HEAD + "ensemble_scheduling {}", "must specify 'step' for ensemble 'e'"),
        steps("step {}", "must specify 'model_name' in step 0 of ensemble 'e'"),
        steps(
            step("in", "out") + "step { model_name: 'b' }",
            "must specify 'input_map' in step 1 of ensemble 'e'"),
        steps(
            "step { model_name: 'a' input_map { key: 'i' value: 'in' } }",
            "must specify 'output_map' in step 0 of ensemble 'e'"),
        steps(
            step("in", "out") + step("in", "out"),
            "ensemble tensor 'out' can appear in an output map only once for ensemble 'e' step 1"),
        steps(step("x", "out"), "ensemble input 'in' for ensemble e' is not used"),
        steps(step("in", "x"), "ensemble output 'out' for ensemble e' is not used"),
        steps(
            step("in", "x") + step("y", "out"),
            "output 'out' for ensemble 'e' is not written: at least one of its depending tensors,"
                + " 'y', is not connected"),
        steps(step("in", "x") + step("out", "y"), "output 'out' for ensemble 'e' is not written"),
        steps(step("in", "out") + step("in", "x"), "ensemble tensor 'x' is unused in ensemble 'e'"),
        steps(step("in", "out") + step("y", "z"), "ensemble tensor 'y' is unused in ensemble 'e'"));
  }

  @ParameterizedTest
  @MethodSource("rules")
  void reportsTheViolatedRule(String config, String message) {
    assertThatThrownBy(() -> validate(config))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining(message);
  }

  @Test
  void acceptsADiamondWhoseStepsAreInAnyOrder() {
    String join =
        "step { model_name: 'j' input_map { key: 'l' value: 'left' }"
            + " input_map { key: 'r' value: 'right' } output_map { key: 'o' value: 'out' } }";
    assertThatCode(() -> validate(ensemble(join + step("in", "left") + step("in", "right"))))
        .doesNotThrowAnyException();
  }

  private static void validate(String text) throws TextFormat.ParseException {
    EnsembleValidator.validate(TextFormat.parse(text, ModelConfig.class));
  }

  private static Arguments steps(String steps, String message) {
    return arguments(ensemble(steps), message);
  }

  private static String ensemble(String steps) {
    return HEAD + "ensemble_scheduling { " + steps + " }";
  }

  private static String step(String input, String output) {
    return "step { model_name: 's' input_map { key: 'i' value: '%s' } output_map { key: 'o' value: '%s' } } "
        .formatted(input, output);
  }
}

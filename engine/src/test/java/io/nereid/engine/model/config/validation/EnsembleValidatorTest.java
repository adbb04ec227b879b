package io.nereid.engine.model.config.validation;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.TextFormat;
import io.nereid.error.InferenceException;
import io.nereid.protocol.config.ModelConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EnsembleValidatorTest {
  private static final String HEAD =
      "name: 'e' platform: 'ensemble' input { name: 'in' } output { name: 'out' } ";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          instance_group {} | instance group should not be specified for ensemble 'e'
          optimization {} | optimization should not be specified for ensemble 'e'
          model_warmup {} | model_warmup can not be specified for ensemble 'e'
          `` | must specify 'step' for ensemble 'e'
          """)
  void reportsTheViolatedRuleOfAConfiguration(String field, String message) {
    assertRejected(HEAD + field + " ensemble_scheduling {}", message);
  }

  @Test
  void rejectsAnEnsembleOfAnotherPlatform() {
    assertRejected(
        "name: 'e' platform: 'onnxruntime_onnx' ensemble_scheduling {}",
        "ensemble scheduling cannot be set for model 'e' whose platform is not ensemble");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          step {} | must specify 'model_name' in step 0 of ensemble 'e'
          in>out step { model_name: 'b' } | must specify 'input_map' in step 1 of ensemble 'e'
          step { model_name: 'a' input_map { key: 'i' value: 'in' } } | must specify 'output_map' in step 0 of ensemble 'e'
          in>out in>out | ensemble tensor 'out' can appear in an output map only once for ensemble 'e' step 1
          x>out       | ensemble input 'in' for ensemble e' is not used
          in>x        | ensemble output 'out' for ensemble e' is not used
          in>x y>out  | output 'out' for ensemble 'e' is not written: at least one of its depending tensors, 'y', is not connected
          in>x out>y  | output 'out' for ensemble 'e' is not written
          in>out in>x | ensemble tensor 'x' is unused in ensemble 'e'
          in>out y>z  | ensemble tensor 'y' is unused in ensemble 'e'
          """)
  void reportsTheViolatedRuleOfSteps(String steps, String message) {
    assertRejected(ensemble(steps), message);
  }

  @Test
  void acceptsADiamondWhoseStepsAreInAnyOrder() {
    String join =
        "step { model_name: 'j' input_map { key: 'l' value: 'left' }"
            + " input_map { key: 'r' value: 'right' } output_map { key: 'o' value: 'out' } }";
    assertThatCode(() -> validate(ensemble(join + " in>left in>right"))).doesNotThrowAnyException();
  }

  private static void validate(String text) throws TextFormat.ParseException {
    Rules.apply(EnsembleValidator::check, TextFormat.parse(text, ModelConfig.class));
  }

  private static void assertRejected(String config, String message) {
    assertThatThrownBy(() -> validate(config))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining(message);
  }

  /** An ensemble of steps, where {@code in>out} is a step that reads one tensor and writes one. */
  private static String ensemble(String steps) {
    String step =
        "step { model_name: 's' input_map { key: 'i' value: '$1' } output_map { key: 'o' value: '$2' } } ";
    return HEAD + "ensemble_scheduling { " + steps.replaceAll("(\\w+)>(\\w+)", step) + " }";
  }
}

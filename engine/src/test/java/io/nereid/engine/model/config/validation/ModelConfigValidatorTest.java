package io.nereid.engine.model.config.validation;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.TextFormat;
import io.nereid.engine.model.config.ModelConfigNormalizer;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.protocol.config.ModelConfig;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ModelConfigValidatorTest {
  @TempDir private Path repository;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          platform: 'homegrown' | unexpected platform type 'homegrown' for m; if it is the name of a backend, write backend: "homegrown"
          platform: 'ensemble' backend: 'onnxruntime' | Ensemble model 'm' must have platform type 'ensemble' and empty backend type
          platform: 'tensorrt_plan' backend: 'onnxruntime' | unexpected 'platform' and 'backend' pair, got:tensorrt_plan, onnxruntime
          backend: 'b' max_batch_size: -1 | 'max_batch_size' must be non-negative value for m
          backend: 'b' runtime: 'mine' | unable to find backend library 'mine' for model 'm'
          backend: 'b' runtime: '../libtriton_b.so' | backend library name '../libtriton_b.so' escapes backend directory
          platform: 'ensemble' | ensemble scheduling must be set for ensemble m whose platform is ensemble
          backend: 'b' model_transaction_policy { decoupled: true } response_cache { enable: true } | Response Cache does not currently support model m with 'decoupled' transaction policy
          """)
  void reportsTheViolatedRule(String config, String message) {
    assertThatThrownBy(() -> validate(config))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining(message)
        .extracting(thrown -> ((InferenceException) thrown).code())
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"../../m.onnx", "/m.onnx", "a/../../../m", "../..", "a\\000b"})
  void aModelFileOutsideTheModelsDirectoryIsRejected(String name) {
    for (String field :
        List.of("default_model_filename: '%s'", "cc_model_filenames { key: '9.0' value: '%s' }")) {
      reportsTheViolatedRule(
          "backend: 'b' " + field.formatted(name), "' of model 'm' is outside model directory");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"m.onnx", "a/m.onnx", "a/../m.onnx", "../2/m.onnx", "..m", ""})
  void aModelFileMayBeAnywhereInTheModelsDirectory(String name) {
    assertThatCode(() -> validate("backend: 'b' default_model_filename: '%s'".formatted(name)))
        .doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          preferred_batch_size: [4, 0] | dynamic batching preferred size must be positive for m
          preferred_batch_size: 9 | dynamic batching preferred size must be <= max batch size for m
          priority_levels: 3 | default priority level must be in range [1, 3] for m
          priority_levels: 3 default_priority_level: 4 | default priority level must be in range [1, 3] for m
          priority_levels: 3 default_priority_level: 1 priority_queue_policy { key: 4 value {}} | priority queue policy must have priority level in range [1, 3] for m
          priority_levels: 3 default_priority_level: 1 priority_queue_policy { key: 0 value {}} | priority queue policy must have priority level in range [1, 3] for m
          priority_levels: 2 default_priority_level: 1 preserve_ordering: true | Only one priority level is allowed when 'preserve_ordering' is true for m
          """)
  void reportsTheViolatedRuleOfDynamicBatching(String fields, String message) {
    reportsTheViolatedRule(
        "backend: 'b' max_batch_size: 8 dynamic_batching { %s }".formatted(fields), message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "default_queue_policy { %s }",
        "priority_levels: 1 default_priority_level: 1 priority_queue_policy { key: 1 value { %s } }"
      })
  void rejectsADelayOfExpiredRequestsIfTheOrderIsPreserved(String policy) {
    String delay = policy.formatted("timeout_action: DELAY default_timeout_microseconds: 1");
    reportsTheViolatedRuleOfDynamicBatching(
        "preserve_ordering: true " + delay,
        "Queue policy can not have DELAY as timeout action when 'preserve_ordering' is true for m");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          } response_cache { enable: true | does not currently support model m with seq
          control_input { name: 'c' } control_input { name: 'c' } | control tensor 'c' is specified for multiple control kinds for m
          control_input { name: 'c' } } input { name: 'c' | sequence batching control tensor 'c' must not be listed as an input for m
          control_input { control { kind: CONTROL_SEQUENCE_START } } | sequence batching control tensor must have a name for m
          oldest { preferred_batch_size: 0 } | sequence batching preferred batch size must be positive for m
          oldest { preferred_batch_size: 9 } | sequence batching preferred batch size must be <= max batch size for m
          direct { minimum_slot_utilization: 1.5 } | sequence batching minimum slot utilization must be in range (0.0, 1.0] for m
          direct { minimum_slot_utilization: -0.1 } | sequence batching minimum slot utilization must be in range (0.0, 1.0] for m
          direct { minimum_slot_utilization: nan } | sequence batching minimum slot utilization must be in range (0.0, 1.0] for m
          """)
  void reportsTheViolatedRuleOfASequenceBatcher(String fields, String message) {
    reportsTheViolatedRule(
        "backend: 'b' max_batch_size: 8 sequence_batching { %s }".formatted(fields), message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          9 | control tensor 'c' has an unknown kind for m
          CONTROL_SEQUENCE_START | must specify EITHER CONTROL_SEQUENCE_START for m
          CONTROL_SEQUENCE_END | must specify EITHER CONTROL_SEQUENCE_END for m
          CONTROL_SEQUENCE_READY | must specify EITHER CONTROL_SEQUENCE_READY for m
          CONTROL_SEQUENCE_START int32_false_true: [0, 1] fp32_false_true: [0, 1] | specifies more than one from 'int32_false_true', 'fp32_false_true' and 'bool_false_true' for CONTROL_SEQUENCE_START for m
          CONTROL_SEQUENCE_START int32_false_true: [0, 1, 2] | control 'int32_false_true' must have exactly 2 entries for CONTROL_SEQUENCE_START
          CONTROL_SEQUENCE_START fp32_false_true: 0 | control 'fp32_false_true' must have exactly 2 entries for CONTROL_SEQUENCE_START
          CONTROL_SEQUENCE_START bool_false_true: true | control 'bool_false_true' must have exactly 2 entries for CONTROL_SEQUENCE_START
          CONTROL_SEQUENCE_CORRID data_type: TYPE_UINT64 int32_false_true: [0, 1] | must not specify EITHER CONTROL_SEQUENCE_CORRID for m
          CONTROL_SEQUENCE_CORRID data_type: TYPE_FP32 | unexpected data type for control CONTROL_SEQUENCE_CORRID for m. Allowed data types
          """)
  void reportsTheViolatedRuleOfAControl(String kind, String message) {
    String either = "either 'int32_false_true', 'fp32_false_true' or 'bool_false_true' for";
    reportsTheViolatedRuleOfASequenceBatcher(control("c", kind), message.replace("EITHER", either));
  }

  @ParameterizedTest
  @CsvSource({
    "CONTROL_SEQUENCE_START, 'bool_false_true: [false, true]'",
    "CONTROL_SEQUENCE_CORRID, data_type: TYPE_INT32"
  })
  void rejectsTwoTensorsForOneControl(String kind, String value) {
    reportsTheViolatedRuleOfASequenceBatcher(
        control("c", kind + " " + value) + control("d", kind + " " + value),
        "sequence batching specifies multiple %s tensors for m".formatted(kind));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          `` | metric control must specify 'metric_identifier'
          metric_identifier {} | metric identifier must specify non-empty 'family'
          metric_identifier { family: 'f' } | metric control must specify 'histogram_options'
          metric_identifier { family: 'f' } histogram_options {} | histogram options must specify non-empty 'buckets'
          """)
  void reportsTheViolatedRuleOfAMetric(String fields, String message) {
    reportsTheViolatedRule(
        "backend: 'b' model_metrics { metric_control { %s } }".formatted(fields), message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "backend: 'b'",
        "backend: 'mine' platform: 'onnxruntime_onnx'",
        "backend: 'b' runtime: 'libtriton_b.so'",
        "backend: 'b' runtime: 'model.py'",
        "backend: 'pytorch' platform: 'libtorch'",
        "backend: 'python' platform: 'anything'",
        "backend: 'b' max_batch_size: 8 dynamic_batching { preferred_batch_size: [1, 8] }",
        "backend: 'b' max_batch_size: 8 dynamic_batching { preserve_ordering: true"
            + " default_queue_policy { timeout_action: DELAY } }",
        "backend: 'b' dynamic_batching { priority_levels: 18446744073709551615"
            + " default_priority_level: 18446744073709551615 }",
        "backend: 'b' max_batch_size: 8 sequence_batching { direct {} }",
        "backend: 'b' sequence_batching { direct { minimum_slot_utilization: 1 } }",
        "backend: 'b' sequence_batching { control_input { name: 'c'"
            + " control { kind: CONTROL_SEQUENCE_START int32_false_true: [0, 1] }"
            + " control { kind: CONTROL_SEQUENCE_END int32_false_true: [0, 1] } }"
            + " control_input { name: 'id'"
            + " control { kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_STRING } } }"
      })
  void acceptsValidConfigurations(String config) {
    assertThatCode(() -> validate(config)).doesNotThrowAnyException();
  }

  @Test
  void reportsTheFirstOfTwoViolatedRules() {
    assertThatThrownBy(() ->
            validate(
                "backend: 'b' max_batch_size: -1 dynamic_batching { preferred_batch_size: 0 }"))
        .hasMessageContaining("'max_batch_size'");
  }

  @Test
  void requiresNameAndVersionPolicyOfAnUnnormalizedMessage() {
    var nameless = ModelConfig.newBuilder().setBackend("b");
    assertThatThrownBy(() -> ModelConfigValidator.validate(nameless.build()))
        .hasMessage("model configuration must specify 'name'");
    assertThatThrownBy(() -> ModelConfigValidator.validate(nameless.setName("m").build()))
        .hasMessage("must specify 'version policy' for m");
  }

  private void validate(String text) throws TextFormat.ParseException {
    var config = TextFormat.parse(text, ModelConfig.class);
    var directory = ModelOnDisk.named(repository, "m").directory();
    ModelConfigValidator.validate(ModelConfigNormalizer.normalize(config, directory));
  }

  private static String control(String tensor, String kind) {
    return "control_input { name: '%s' control { kind: %s } } ".formatted(tensor, kind);
  }
}

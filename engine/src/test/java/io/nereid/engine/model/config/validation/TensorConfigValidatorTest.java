package io.nereid.engine.model.config.validation;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.TextFormat;
import io.nereid.error.InferenceException;
import io.nereid.protocol.config.ModelConfig;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TensorConfigValidatorTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          `` | must specify 'name' for m
          name: 't' | 't' must specify 'data_type' for m
          name: 't' data_type: TYPE_FP32 | 't' must specify 'dims' for m
          """)
  void reportsTheViolatedRuleOfATensor(String tensor, String message) {
    assertRejected("input { %s }".formatted(tensor), inRole("model input ", message));
    assertRejected("output { %s }".formatted(tensor), inRole("model output ", message));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          1 reshape {} | 't' cannot have empty reshape for non-batching model as scalar tensors are not supported for m
          0  | 't' dimension must be integer >= 1, or -1 to indicate a variable-size dimension
          -2 | 't' dimension must be integer >= 1, or -1 to indicate a variable-size dimension
          1 reshape { shape: 0 } | 't' reshape dimensions must be integer >= 1, or -1 to indicate a variable-size dimension
          [2, 4, -1, 6] reshape { shape: [4, -1, 2, 6] } | 't' has different size for dims and reshape for m
          [2, 4, -1, 6] reshape { shape: [8, -1, -1] } | 't' has different number of variable-size dimensions for dims and reshape for m
          [2, 3] reshape { shape: [7] } | 't' has different size for dims and reshape for m
          [-1] reshape { shape: [7] } | 't' has different size for dims and reshape for m
          [9223372036854775807, 2] | element count for tensor 't dims' exceeds maximum size of 9223372036854775807
          """)
  void reportsTheViolatedRuleOfDimensions(String dims, String message) {
    reportsTheViolatedRuleOfATensor("name: 't' data_type: TYPE_FP32 dims: " + dims, message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          input { %s [3, 4] format: FORMAT_NHWC } | model input NHWC/NCHW require 3 dims for m
          input { %s 1 is_shape_tensor: true } | shape tensors are only supported for TensorRT platform for m
          output { %s 1 is_non_linear_format_io: true } | Non-linear IO format is only supported for the TensorRT platform for m
          platform: 'tensorrt_plan' input { %s 1 is_non_linear_format_io: true } | Non-linear IO format input requires 3 dims for m
          platform: 'tensorrt_plan' output { %s 1 is_non_linear_format_io: true } | Non-linear IO format output requires 3 dims for m
          """)
  void reportsTheViolatedRuleOfASpecialTensor(String config, String message) {
    assertRejected(config.formatted("name: 't' data_type: TYPE_FP32 dims:"), message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          batch_input { kind: BATCH_ITEM_SHAPE data_type: TYPE_FP32 } | batch input kind 'BATCH_ITEM_SHAPE' expects 1 source input, got 0 for m
          batch_input { kind: 9 source_input: 'i' data_type: TYPE_FP32 } | batch input has an unknown kind for m
          batch_output { kind: 9 source_input: 'i' } | batch output has an unknown kind for m
          batch_input { source_input: 'x' data_type: TYPE_INT64 } | batch input data type must be TYPE_INT32 or TYPE_FP32 for m
          batch_input { source_input: 'x' data_type: TYPE_INT32 } | unknown source input name 'x' for m
          batch_output { source_input: ['i', 'i'] target_name: 'o' } | batch output kind 'BATCH_SCATTER_WITH_INPUT_SHAPE' expects 1 source input, got 2 for m
          batch_output { source_input: 'x' target_name: 'o' } | unknown source input name 'x' for m
          batch_output { source_input: 'i' target_name: 'x' } | unknown target output name 'x' for m
          batch_output { source_input: 'i' target_name: ['o', 'o'] } | target output name 'o' can only be specified once for m
          """)
  void reportsTheViolatedRuleOfABatchTensor(String fields, String message) {
    assertRejected(
        "input { name: 'i' data_type: TYPE_FP32 dims: 1 }"
            + " output { name: 'o' data_type: TYPE_FP32 dims: 1 } "
            + fields,
        message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"[ 4, -1 ]", "[ -1 ] reshape { shape: [ 1, -1 ] }"})
  void rejectsABatchOutputWithAVariableDimensionThatItsSourceLacks(String dims) {
    reportsTheViolatedRuleOfABatchTensor(
        "batch_output { source_input: 'i' target_name: 'p' }"
            + " output { name: 'p' data_type: TYPE_FP32 dims: %s }".formatted(dims),
        "target output 'p' has a variable dimension that its source input 'i' lacks for m");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "dims: [2, 4, -1, 6] reshape { shape: [8, -1, 1, 6] }",
        "dims: [2, 3] reshape { shape: [6] }",
        "dims: [-1, 2, -1] reshape { shape: [1, -1, 2, -1, 1] }"
      })
  void acceptsReshapesThatKeepTheProductOfEachFixedRun(String dims) {
    assertThatCode(() -> validate("input { name: 't' data_type: TYPE_FP32 %s }".formatted(dims)))
        .doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(strings = {"dims: 1 reshape {}", "dims: [1, 1] reshape {}"})
  void acceptsAnEmptyReshapeOfOneElementIfTheModelBatches(String dims) {
    assertThatCode(() ->
            validate(
                "max_batch_size: 8 input { name: 't' data_type: TYPE_FP32 %s }".formatted(dims)))
        .doesNotThrowAnyException();
  }

  private static String inRole(String role, String message) {
    return message.startsWith("element count") ? message : role + message;
  }

  private static void validate(String text) throws TextFormat.ParseException {
    Rules.apply(
        TensorConfigValidator::check, TextFormat.parse("name: 'm' " + text, ModelConfig.class));
  }

  private static void assertRejected(String config, String message) {
    assertThatThrownBy(() -> validate(config))
        .isInstanceOf(InferenceException.class)
        .hasMessage(message.endsWith(" for m") ? message : message + " for m");
  }
}

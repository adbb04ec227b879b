package io.nereid.server.model.config;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.TextFormat;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.server.protobuf.ModelConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigLimitsTest extends CompletedConfigs {
  private static void check(String text) {
    try {
      Rules.apply(
          new ConfigLimits(8)::check, TextFormat.parse("name: 'm' " + text, ModelConfig.class));
    } catch (TextFormat.ParseException invalid) {
      throw new IllegalArgumentException(invalid);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          instance_group { name: 'g' count: 2147483647 kind: KIND_CPU } | model m has 2147483647 instances in its groups up to g, but at most 8 are allowed (--max-instances)
          instance_group { count: 4 } instance_group { name: 'h' count: 5 } | model m has 9 instances in its groups up to h, but at most 8 are allowed (--max-instances)
          instance_group { name: 'g' count: 2147483647 kind: KIND_GPU gpus: [0, 0, 0] } | model m has 6442450941 instances in its groups up to g, but at most 8 are allowed
          instance_group { count: 1 } max_batch_size: 2147483647 sequence_batching { direct {} } | model m has 2147483647 sequence slots on each of 1 instances, but at most 1048576 in sum are allowed
          instance_group { count: 8 } max_batch_size: 131073 sequence_batching {} | model m has 131073 sequence slots on each of 8 instances, but at most 1048576 in sum are allowed
          instance_group { count: 2 } sequence_batching { oldest { max_candidate_sequences: 2147483647 } } | model m has 2147483647 sequence slots on each of 2 instances
          model_warmup { name: 's' batch_size: 4294967295 } | warmup sample 's' of model m has a batch size of 4294967295, but at most 65536 are allowed
          """)
  void aValueThatWouldExhaustTheMemoryIsRejected(String config, String message) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> check(config))
        .withMessageContaining(message)
        .extracting(InferenceException::code)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "instance_group { count: 8 }",
        "instance_group { count: 4 kind: KIND_GPU gpus: [0, 1] }",
        "instance_group { count: 8 } max_batch_size: 131072 sequence_batching { direct {} }",
        "instance_group { count: 1 } max_batch_size: 2147483647 dynamic_batching {}",
        "instance_group { count: 1 } max_batch_size: 2147483647 sequence_batching { oldest {"
            + " max_candidate_sequences: 1048576 } }",
        "dynamic_batching { priority_levels: 18446744073709551615 }",
        "model_warmup { batch_size: 65536 }"
      })
  void aLargeValueThatTheServerCanCarryIsNot(String config) {
    assertThatCode(() -> check(config)).doesNotThrowAnyException();
  }

  @Test
  void theBoundsApplyToCompletedConfigurations() {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() ->
            complete("backend: 'b'" + IO + " instance_group { count: 2147483647 kind: KIND_CPU }"))
        .withMessageContaining(
            "model m has 2147483647 instances in its groups up to m_0, but at most 1024 are allowed"
                + " (--max-instances) (config.pbtxt:1:");
  }
}

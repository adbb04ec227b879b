package io.nereid.engine.model.config;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.TextFormat;
import io.nereid.engine.model.config.validation.ConfigLimits;
import io.nereid.engine.model.config.validation.Rules;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.protocol.config.ModelConfig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
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
          model_warmup { name: 's' count: 65537 } | warmup sample 's' of model m has a count of 65537, but at most 65536 are allowed
          model_warmup { name: 's' count: 4294967295 } | warmup sample 's' of model m has a count of 4294967295, but at most 65536 are allowed
          model_warmup { name: 's' batch_size: 65537 } | warmup sample 's' of model m has a batch size of 65537, but at most 65536 are allowed
          instance_group { count: 9 name: 'g' } | model m has 9 instances in its groups up to g, but at most 8 are allowed
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
        "model_warmup { batch_size: 65536 }",
        "model_warmup { count: 65536 }",
        "instance_group { count: 7 }"
      })
  void aLargeValueThatTheServerCanCarryIsNot(String config) {
    assertThatCode(() -> check(config)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource({
    "input,'input { name: \"%d\" data_type: TYPE_FP32 dims: 1 }'",
    "input[0].dims,'input { dims: 1 }'",
    "instance_group,'instance_group { name: \"%d\" }'",
    "dynamic_batching.preferred_batch_size,'dynamic_batching { preferred_batch_size: 1 }'",
    "dynamic_batching.priority_queue_policy,'dynamic_batching { priority_queue_policy { key: %d value {} } }'",
    "ensemble_scheduling.step,'ensemble_scheduling { step { model_name: \"%d\" } }'",
    "ensemble_scheduling.step[0].input_map,'ensemble_scheduling { step { input_map { key: \"%d\" } } }'",
    "sequence_batching.state,'sequence_batching { state { input_name: \"%d\" } }'",
    "sequence_batching.control_input,'sequence_batching { control_input { name: \"%d\" } }'",
    "batch_input,'batch_input { target_name: \"%d\" }'",
    "parameters,'parameters { key: \"%d\" }'",
    "model_warmup,'model_warmup { name: \"%d\" }'",
  })
  void aListHasALimitedLength(String field, String one) throws IOException {
    assertThatCode(() -> checkLists(repeated(field, one, 4095))).doesNotThrowAnyException();
    assertThatCode(() -> checkLists(repeated(field, one, 4096))).doesNotThrowAnyException();
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> checkLists(repeated(field, one, 4097)))
        .withMessage(
            "model m has 4097 values in '%s', but at most 4096 are allowed".formatted(field));
  }

  private static void checkLists(ModelConfig config) {
    Rules.apply(ConfigLimits::checkLists, config);
  }

  /** The field of that path, with as many values; the messages on the way exist once. */
  private static ModelConfig repeated(String field, String one, int count) throws IOException {
    var config = ModelConfig.newBuilder().setName("m");
    var values = new ByteArrayOutputStream(); // merged at once: each merge copies a nested map
    boolean first = field.contains("[0]");
    for (int i = 0; i < count; i++) {
      var value = ModelConfig.newBuilder();
      TextFormat.merge(one.formatted(i), value);
      if (!first) {
        value.build().writeTo(values);
      } else if (i == 0) {
        config.mergeFrom(value.build());
      } else if (field.startsWith("input")) {
        config.getInputBuilder(0).addAllDims(value.getInput(0).getDimsList());
      } else {
        config
            .getEnsembleSchedulingBuilder()
            .getStepBuilder(0)
            .putAllInputMap(value.getEnsembleScheduling().getStep(0).getInputMapMap());
      }
    }
    return config.mergeFrom(values.toByteArray()).build();
  }

  @Test
  void anOverrideWithATooLongListIsRefusedBeforeItsValuesAreCompared() {
    var directory = ModelOnDisk.named(repository, "m").withConfig("").directory();
    var reader = new ModelConfigReader(ConfigSettings.DEFAULT);
    var json = new StringBuilder("{\"name\":\"m\",\"input\":[");
    for (int i = 0; i < 4097; i++) {
      json.append(i == 0 ? "" : ",").append("{\"name\":\"i").append(i).append("\"}");
    }

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> reader.readOverride(directory, json.append("]}").toString()))
        .withMessage("model m has 4097 values in 'input', but at most 4096 are allowed");
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

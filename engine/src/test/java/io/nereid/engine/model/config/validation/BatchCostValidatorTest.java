package io.nereid.engine.model.config.validation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.TextFormat;
import io.nereid.engine.model.config.text.FieldPath;
import io.nereid.error.InferenceException;
import io.nereid.protocol.config.ModelConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BatchCostValidatorTest {
  private static final String BATCHES = "max_batch_size: 8 dynamic_batching {} ";
  private static final String TENSORS =
      "input { name: 'ids' data_type: TYPE_INT64 dims: -1 }"
          + " input { name: 'image' data_type: TYPE_FP32 dims: [3, 8] }"
          + " input { name: 'text' data_type: TYPE_STRING dims: 1 }"
          + " input { name: 'may' data_type: TYPE_INT64 dims: -1 optional: true }"
          + " output { name: 'o' data_type: TYPE_FP32 dims: 1 } ";
  private static final String LIMIT = "max_batch_cost=64 batch_weight_input=ids";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          max_batch_cost=0 batch_weight_input=ids | max_batch_cost | must be an integer from 1 to 9223372036854775807, got '0'
          max_batch_cost=many batch_weight_input=ids | max_batch_cost | must be an integer from 1 to 9223372036854775807, got 'many'
          max_batch_cost=64 | max_batch_cost | needs parameter 'batch_weight_input' with the name of the input whose elements count
          batch_weight_input=ids | batch_weight_input | needs parameter 'max_batch_cost'
          batch_cost=sum | batch_cost | needs parameter 'max_batch_cost'
          max_batch_cost=64 batch_weight_input=x | batch_weight_input | names the input 'x', which the model does not have
          max_batch_cost=64 batch_weight_input=may | batch_weight_input | names the input 'may', which is optional: each request must have rows of it
          max_batch_cost=64 batch_weight_input=image | batch_weight_input | names the input 'image' of fixed dims, by which all rows weigh the same: 'max_batch_size' limits their number
          max_batch_cost=64 batch_weight_input=ids batch_cost=Sum | batch_cost | must be 'padded' or 'sum', got 'Sum'
          max_batch_cost=64 batch_weight_input=ids max_batch_padding_percent=101 | max_batch_padding_percent | must be an integer from 0 to 100, got '101'
          max_batch_cost=64 batch_weight_input=ids max_batch_padding_percent=-1 | max_batch_padding_percent | must be an integer from 0 to 100, got '-1'
          max_batch_cost=64 batch_weight_input=ids max_batch_reordering_microseconds=-1 | max_batch_reordering_microseconds | must be an integer from 0 to 9223372036854775807, got '-1'
          max_batch_cost=64 batch_weight_input=ids batch_cost=sum max_batch_padding_percent=9 | max_batch_padding_percent | has no effect with 'batch_cost' 'sum', whose batches have no padding
          max_batch_cost=64 batch_weight_input=ids batch_cost=sum max_batch_reordering_microseconds=9 | max_batch_reordering_microseconds | has no effect with 'batch_cost' 'sum', whose batches have no padding
          """)
  void saysWhatIsWrongWithAParameter(String parameters, String key, String message)
      throws TextFormat.ParseException {
    ModelConfig config = config(BATCHES + TENSORS, parameters);

    assertThatThrownBy(() -> Rules.apply(TensorConfigValidator::check, config))
        .isInstanceOf(InferenceException.class)
        .hasMessage("model 'm': parameter '%s' %s", key, message);
    var problems = new ConfigProblems();
    TensorConfigValidator.check(config, problems);
    assertThat(problems.all().getFirst().path()).isEqualTo(FieldPath.ROOT.entry("parameters", key));
  }

  @ParameterizedTest
  @CsvSource({
    "''",
    "max_batch_size: 8",
    "dynamic_batching {}",
    "max_batch_size: 8 sequence_batching {}",
  })
  void requiresADynamicBatcher(String scheduler) throws TextFormat.ParseException {
    ModelConfig config = config(scheduler + " " + TENSORS, LIMIT);

    assertThatThrownBy(() -> Rules.apply(TensorConfigValidator::check, config))
        .hasMessage(
            "model 'm': parameter 'max_batch_cost' limits the batches of 'dynamic_batching', which"
                + " needs a 'max_batch_size' above 0");
  }

  @Test
  void refusesToReorderWhatIsToKeepItsOrder() throws TextFormat.ParseException {
    String ordered = "max_batch_size: 8 dynamic_batching { preserve_ordering: true } " + TENSORS;
    ModelConfig reordered = config(ordered, LIMIT + " max_batch_reordering_microseconds=1");
    ModelConfig limited = config(ordered, LIMIT + " max_batch_reordering_microseconds=0");

    assertThatThrownBy(() -> Rules.apply(TensorConfigValidator::check, reordered))
        .hasMessage(
            "model 'm': parameter 'max_batch_reordering_microseconds' must be 0 with"
                + " 'preserve_ordering', which keeps the order of requests");
    assertThatCode(() -> Rules.apply(TensorConfigValidator::check, limited))
        .doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource({
    "max_batch_cost=1 batch_weight_input=ids",
    "max_batch_cost=64 batch_weight_input=text batch_cost=sum",
    "max_batch_cost=64 batch_weight_input=ids batch_cost=padded max_batch_padding_percent=0",
    "max_batch_cost=64 batch_weight_input=ids max_batch_padding_percent=100",
    "max_batch_cost=64 batch_weight_input=ids max_batch_reordering_microseconds=9"
  })
  void acceptsALimit(String parameters) throws TextFormat.ParseException {
    ModelConfig config = config(BATCHES + TENSORS, parameters);

    assertThatCode(() -> Rules.apply(TensorConfigValidator::check, config))
        .doesNotThrowAnyException();
  }

  private static ModelConfig config(String fields, String parameters)
      throws TextFormat.ParseException {
    var text = new StringBuilder("name: 'm' ").append(fields);
    for (String each : parameters.split(" ", -1)) {
      String[] parts = each.split("=", 2);
      text.append(
          " parameters { key: '%s' value { string_value: '%s' } }".formatted(parts[0], parts[1]));
    }
    return TextFormat.parse(text.toString(), ModelConfig.class);
  }
}

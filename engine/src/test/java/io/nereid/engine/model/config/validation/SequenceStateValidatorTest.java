package io.nereid.engine.model.config.validation;

import static org.assertj.core.api.Assertions.assertThatCode;

import com.google.protobuf.TextFormat;
import io.nereid.engine.testing.Failures;
import io.nereid.error.StatusCode;
import io.nereid.protocol.config.ModelConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SequenceStateValidatorTest {
  private static final String STATE =
      "state { input_name: 'i' output_name: 'o' data_type: TYPE_FP32 dims: [2, -1] %s } ";
  private static final String INITIAL =
      "initial_state { name: 'n' data_type: TYPE_FP32 dims: [2, 3] zero_data: true } ";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          FP32            | INT32    | The data type used for 'initial_state' field of state 'i' does not match the state data type.
          'n'             | ''       | Field 'name' must be set when using initial_state for state input 'i'.
          [2, 3]          | 2        | Number of dimensions in 'initial_state' doesn't match the size of 'state' dimensions for state input 'i'. 1 != 2
          , 3             | , -1     | 'initial_state' field for state input name 'i' contains variable dimensions.
          [2, 3]          | [4, 3]   | 'initial_state' dim for input name 'i' doesn't match 'state' dim description. 4 != 2
          zero_data: true | ``       | initial_state setting expects state'i' to have state_data set
          """)
  void reportsTheViolatedRuleOfAnInitialState(String valid, String invalid, String message) {
    assertRejected(STATE.formatted(INITIAL.replace(valid, invalid)), message);
  }

  @Test
  void reportsTheViolatedRuleOfStates() {
    assertRejected(
        STATE.formatted("").replace("-1", "-2"),
        "state 'i' dimension must be integer >= 0, or -1 to indicate a variable-size dimension"
            + " for m");
    assertRejected(
        STATE.formatted("") + "} input { name: 'i'",
        "sequence batching state 'i' must not be listed as an input for m");
    assertRejected(
        STATE.formatted(INITIAL + INITIAL),
        "initial_state field for state input 'i' must contain exactly one or zero element."
            + " Found '2' elements.");
    assertRejected(
        STATE.formatted(INITIAL) + STATE.formatted(INITIAL),
        "State input name 'i' specified more than once.");
  }

  private static void assertRejected(String states, String message) {
    Failures.assertRejected(StatusCode.INVALID_ARGUMENT, message, () -> validate(states));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        INITIAL,
        "initial_state { name: 'n' data_type: TYPE_FP32" + " dims: [2, 0] zero_data: false }",
        "initial_state { name: 'n' data_type: TYPE_FP32" + " dims: [2, 9] data_file: 'f' }"
      })
  void acceptsAStateWithoutInitialStateOrWithZerosOrAFile(String initial) {
    assertThatCode(() -> validate(STATE.formatted(initial))).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "use_same_buffer_for_input_output: true use_growable_memory: true"})
  void acceptsStatesThatShareNames(String more) {
    assertThatCode(() -> validate(STATE.formatted(more) + STATE.formatted(more)))
        .doesNotThrowAnyException();
  }

  private static void validate(String states) throws TextFormat.ParseException {
    Rules.apply(
        SequenceStateValidator::check,
        TextFormat.parse(
            "name: 'm' sequence_batching { %s }".formatted(states), ModelConfig.class));
  }
}

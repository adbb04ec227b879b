package io.nereid.server.request.validation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Control;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.SequenceId;
import io.nereid.tensor.DataType;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which ids of sequences a model takes that is told them. The texts are Triton's. */
class SequenceIdTypeTest extends ValidatedRequests {
  private static RequestValidator told(DataType type) {
    var id = new Control("ID", Control.Kind.CONTROL_SEQUENCE_CORRID, type, 0, 0);
    var start = new Control("S", Control.Kind.CONTROL_SEQUENCE_START, DataType.BOOL, 0, 1);
    return new RequestValidator(
        ModelConfig.of("m", "backend")
            .withScheduling(
                new SequenceSettings(
                    1_000_000, List.of(start, id), new Strategy.Direct(0, 0), List.of(), false)));
  }

  private static List<String> validate(RequestValidator validator, SequenceId sequenceId) {
    return validator.validate("r1", List.of(), List.of(), sequenceId);
  }

  @Test
  void requiresASequenceIdOfTheTypeInWhichTheModelIsToldIt() {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> validate(told(DataType.UINT64), new SequenceId.OfString("a")))
        .withMessage(
            "[request id: r1] sequence batching control 'ID' data-type is 'BYTES', but model 'm'"
                + " expects 'UINT64'")
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT));
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> validate(told(DataType.BYTES), new SequenceId.OfNumber(7)))
        .withMessage(
            "[request id: r1] sequence batching control 'ID' data-type is 'UINT64', but model 'm'"
                + " expects 'BYTES'");
  }

  @Test
  void acceptsNumbersForEveryIntegerTypeTextForBytesAndNoId() {
    for (DataType type :
        List.of(DataType.UINT64, DataType.INT64, DataType.UINT32, DataType.INT32)) {
      assertThat(validate(told(type), new SequenceId.OfNumber(7))).isEmpty();
      assertThat(validate(told(type), SequenceId.NONE)).isEmpty();
    }
    assertThat(validate(told(DataType.BYTES), new SequenceId.OfString("a"))).isEmpty();
    assertThat(validate(told(DataType.BYTES), SequenceId.NONE)).isEmpty();
  }

  @Test
  void acceptsAnyIdIfTheModelIsNotToldIt() {
    assertThat(
            batching.validate(
                "", List.of(goodA(1), goodB(1)), List.of(), new SequenceId.OfString("a")))
        .hasSize(2);
  }
}

package io.nereid.engine.request.validation;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Control;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.request.InferenceRequest;
import io.nereid.request.SequenceId;
import io.nereid.tensor.DataType;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The types of correlation ids that fit a control input. The texts are Triton's. */
class SequenceIdTypeTest extends ValidatedRequests {
  private static RequestValidator told(DataType type) {
    var id = new Control("ID", Control.Kind.CONTROL_SEQUENCE_CORRID, type, 0, 0);
    var start = new Control("S", Control.Kind.CONTROL_SEQUENCE_START, DataType.BOOL, 0, 1);
    return new RequestValidator(
        ModelConfig.of("m", "backend")
            .withScheduling(
                new SequenceSettings(
                    1_000_000, List.of(start, id), new Strategy.Direct(0, 0), List.of(), false)),
        false);
  }

  private static InferenceRequest in(SequenceId sequenceId) {
    return request("r1", List.of(), List.of(), sequenceId);
  }

  @Test
  void rejectsASequenceIdOfAnotherTypeThanTheControlInput() {
    assertRejected(
        told(DataType.UINT64),
        in(new SequenceId.OfString("a")),
        "[request id: r1] sequence batching control 'ID' data-type is 'BYTES', but model 'm'"
            + " expects 'UINT64'");
    assertRejected(
        told(DataType.BYTES),
        in(new SequenceId.OfNumber(7)),
        "[request id: r1] sequence batching control 'ID' data-type is 'UINT64', but model 'm'"
            + " expects 'BYTES'");
  }

  @Test
  void acceptsNumbersForEveryIntegerTypeTextForBytesAndNoId() {
    for (DataType type :
        List.of(DataType.UINT64, DataType.INT64, DataType.UINT32, DataType.INT32)) {
      told(type).validate(in(new SequenceId.OfNumber(7)));
      told(type).validate(in(SequenceId.NONE));
    }
    told(DataType.BYTES).validate(in(new SequenceId.OfString("a")));
    told(DataType.BYTES).validate(in(SequenceId.NONE));
  }

  @Test
  void acceptsAnyIdIfTheModelHasNoSuchControlInput() {
    batching.validate(
        request("", List.of(goodA(1), goodB(1)), List.of("X"), new SequenceId.OfString("a")));
  }
}

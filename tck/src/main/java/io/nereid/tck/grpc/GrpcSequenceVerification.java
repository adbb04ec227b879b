package io.nereid.tck.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.wire.InferParameter;
import io.nereid.tck.wire.ModelInferRequest;
import io.nereid.tck.wire.ModelInferResponse;
import java.util.List;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Requests of sequences, each a call of its own or a message of a stream. Each test has sequences
 * of its own.
 */
public abstract class GrpcSequenceVerification extends GrpcVerification {
  private static final String NO_SEQUENCE =
      "inference request to model 'sequence_echo' must specify a non-zero or non-empty"
          + " correlation ID";

  /** A request without sequence, of a row for each value. */
  private static ModelInferRequest.Builder rows(int... values) {
    return request("sequence_echo", input("INPUT0", "INT32", values.length, 1), ints(values));
  }

  private static ModelInferRequest.Builder request(InferParameter sequence, int value) {
    return rows(value).putParameters("sequence_id", sequence);
  }

  private static ModelInferRequest.Builder first(InferParameter sequence, int value) {
    return request(sequence, value).putParameters("sequence_start", parameter(true));
  }

  private static ModelInferRequest.Builder last(InferParameter sequence, int value) {
    return request(sequence, value).putParameters("sequence_end", parameter(true));
  }

  private void echoed(ModelInferRequest.Builder request, int value) {
    assertEchoed(infer(request), value);
  }

  private static void assertEchoed(ModelInferResponse response, int value) {
    assertThat(raw(response, "OUTPUT0")).isEqualTo(ints(value));
  }

  private static String notStarted(String id) {
    return ("inference request for sequence %s to model 'sequence_echo' must specify the START flag"
            + " on the first request of the sequence")
        .formatted(id);
  }

  /** Ids, and how they are spelt in an error: a number counts as one without a sign. */
  static List<List<Object>> ids() {
    return List.of(
        List.of(parameter(11), "11"),
        List.of(parameter(-1), "18446744073709551615"),
        List.of(parameter("grpc eleven"), "grpc eleven"),
        List.of(parameter("x".repeat(128)), "x".repeat(128)));
  }

  @RuleCases("GRPC-SEQ-01")
  @MethodSource("ids")
  void servesASequenceFromItsStartToItsEnd(List<Object> id) {
    var sequence = (InferParameter) id.getFirst();

    echoed(first(sequence, 1), 1);
    echoed(request(sequence, 2), 2);
    echoed(last(sequence, 3).putParameters("sequence_start", parameter(false)), 3);

    inferRefused(request(sequence, 4), notStarted((String) id.getLast()));
  }

  @Rule("GRPC-SEQ-01")
  void tellsANumberFromTheSameText() {
    echoed(first(parameter(12), 1), 1);

    inferRefused(request(parameter("12"), 2), notStarted("12"));

    echoed(last(parameter(12), 2), 2);
  }

  @Rule("GRPC-SEQ-02")
  void rejectsARequestWithoutSequence() {
    inferRefused(rows(1).putParameters("sequence_start", parameter(true)), NO_SEQUENCE);
    inferRefused(first(parameter(0), 1), NO_SEQUENCE);
    inferRefused(first(parameter(""), 1), NO_SEQUENCE);
  }

  @Rule("GRPC-SEQ-03")
  void rejectsMoreThanOneRow() {
    inferRefused(
        rows(1, 2)
            .putParameters("sequence_id", parameter(13))
            .putParameters("sequence_start", parameter(true)),
        "inference request to model 'sequence_echo' must specify batch-size 1 due to requirements"
            + " of sequence batcher");
    inferRefused(request(parameter(13), 1), notStarted("13"));
  }

  @Rule("GRPC-SEQ-04")
  void rejectsARequestOfASequenceThatWasNotStartedOrHasEnded() {
    inferRefused(request(parameter(14), 1), notStarted("14"));
    inferRefused(last(parameter("fourteen"), 1), notStarted("fourteen"));

    echoed(first(parameter(15), 1).putParameters("sequence_end", parameter(true)), 1);
    inferRefused(request(parameter(15), 2), notStarted("15"));
  }

  @Rule("GRPC-SEQ-05")
  void rejectsSequenceParametersOfTheWrongKind() {
    inferRefused(
        first(parameter(true), 1),
        "invalid value type for 'sequence_id' parameter, expected int64_param or string_param.");
    inferRefused(
        request(parameter(16), 1).putParameters("sequence_start", parameter(1)),
        "invalid value type for 'sequence_start' parameter, expected bool_param.");
    inferRefused(
        first(parameter(16), 1).putParameters("sequence_end", parameter("true")),
        "invalid value type for 'sequence_end' parameter, expected bool_param.");
    inferRefused(request(parameter(16), 1), notStarted("16"));
  }

  @Rule("GRPC-SEQ-05")
  void rejectsATextThatIsTooLongForAnId() {
    rejected(
        () -> infer(first(parameter("x".repeat(129)), 1)),
        Status.Code.UNIMPLEMENTED,
        "string correlation ID cannot be longer than 128 characters");
  }

  @Rule("GRPC-SEQ-06")
  void servesSequencesSideBySideOnAStream() {
    try (var stream = OpenStream.on(channel())) {
      stream.send(first(parameter(21), 1));
      stream.send(first(parameter("twenty-one"), 2));
      stream.send(request(parameter(21), 3));
      stream.send(last(parameter("twenty-one"), 4));
      stream.send(last(parameter(21), 5));
      stream.halfClose();

      for (int value = 1; value <= 5; value++) {
        assertEchoed(StreamVerification.response(stream.next()), value);
      }
      assertThat(stream.end().getCode()).isEqualTo(Status.Code.OK);
    }
  }

  @Rule("GRPC-SEQ-07")
  void rejectsARequestOfASequenceOnAStreamAndTheStreamGoesOn() {
    try (var stream = OpenStream.on(channel())) {
      stream.send(request(parameter(22), 1).setId("unstarted"));
      var rejection = stream.next();
      assertThat(rejection.getErrorMessage()).isEqualTo(notStarted("22"));
      assertThat(rejection.getInferResponse().getId()).isEqualTo("unstarted");

      stream.send(rows(1).setId("nameless"));
      assertThat(stream.next().getErrorMessage()).isEqualTo(NO_SEQUENCE);

      stream.send(first(parameter(22), 2).putParameters("sequence_end", parameter(true)));
      assertEchoed(StreamVerification.response(stream.next()), 2);
    }
  }

  @Rule("GRPC-SEQ-08")
  void aSequenceIsOfTheServerAndOfNoStream() {
    try (var stream = OpenStream.on(channel())) {
      stream.send(first(parameter(23), 1));
      assertEchoed(StreamVerification.response(stream.next()), 1);
      stream.halfClose();
      assertThat(stream.end().getCode()).isEqualTo(Status.Code.OK);
    }
    echoed(request(parameter(23), 2), 2);
    try (var stream = OpenStream.on(channel())) {
      stream.send(last(parameter(23), 3));
      assertEchoed(StreamVerification.response(stream.next()), 3);
    }
    inferRefused(request(parameter(23), 4), notStarted("23"));
  }
}

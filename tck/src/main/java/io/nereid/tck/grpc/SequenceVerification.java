package io.nereid.tck.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.nereid.tck.Rule;
import io.nereid.tck.support.Samples;
import io.nereid.tck.wire.InferParameter;
import io.nereid.tck.wire.ModelInferRequest;
import io.nereid.tck.wire.ModelInferResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Requests of sequences, each a call of its own or a message of a stream. Each test has sequences
 * of its own.
 */
public abstract class SequenceVerification extends GrpcVerification {
  private static final InferParameter TRUE = InferParameter.newBuilder().setBoolParam(true).build();
  private static final InferParameter FALSE =
      InferParameter.newBuilder().setBoolParam(false).build();

  private static final String NO_SEQUENCE =
      "inference request to model 'sequence_echo' must specify a non-zero or non-empty"
          + " correlation ID";

  private static InferParameter number(long value) {
    return InferParameter.newBuilder().setInt64Param(value).build();
  }

  private static InferParameter text(String value) {
    return InferParameter.newBuilder().setStringParam(value).build();
  }

  /** A request without sequence, of a row for each value. */
  private static ModelInferRequest.Builder rows(int... values) {
    return ModelInferRequest.newBuilder()
        .setModelName("sequence_echo")
        .addInputs(input("INPUT0", "INT32", values.length, 1))
        .addRawInputContents(ByteString.copyFrom(Samples.ints(values)));
  }

  private static ModelInferRequest.Builder request(InferParameter sequence, int value) {
    return rows(value).putParameters("sequence_id", sequence);
  }

  private static ModelInferRequest.Builder first(InferParameter sequence, int value) {
    return request(sequence, value).putParameters("sequence_start", TRUE);
  }

  private static ModelInferRequest.Builder last(InferParameter sequence, int value) {
    return request(sequence, value).putParameters("sequence_end", TRUE);
  }

  private void echoed(ModelInferRequest.Builder request, int value) {
    assertEchoed(calls().modelInfer(request.build()), value);
  }

  private static void assertEchoed(ModelInferResponse response, int value) {
    assertThat(raw(response, "OUTPUT0")).isEqualTo(ByteString.copyFrom(Samples.ints(value)));
  }

  private static String notStarted(String id) {
    return ("inference request for sequence %s to model 'sequence_echo' must specify the START flag"
            + " on the first request of the sequence")
        .formatted(id);
  }

  /** Ids, and how they are spelt in an error: a number counts as one without a sign. */
  static List<List<Object>> ids() {
    return List.of(
        List.of(number(11), "11"),
        List.of(number(-1), "18446744073709551615"),
        List.of(text("grpc eleven"), "grpc eleven"),
        List.of(text("x".repeat(128)), "x".repeat(128)));
  }

  @ParameterizedTest
  @MethodSource("ids")
  @Rule("GRPC-SEQ-01")
  void servesASequenceFromItsStartToItsEnd(List<Object> id) {
    var sequence = (InferParameter) id.getFirst();

    echoed(first(sequence, 1), 1);
    echoed(request(sequence, 2), 2);
    echoed(last(sequence, 3).putParameters("sequence_start", FALSE), 3);

    inferRefused(request(sequence, 4), notStarted((String) id.getLast()));
  }

  @Test
  @Rule("GRPC-SEQ-01")
  void tellsANumberFromTheSameText() {
    echoed(first(number(12), 1), 1);

    inferRefused(request(text("12"), 2), notStarted("12"));

    echoed(last(number(12), 2), 2);
  }

  @Test
  @Rule("GRPC-SEQ-02")
  void rejectsARequestWithoutSequence() {
    inferRefused(rows(1).putParameters("sequence_start", TRUE), NO_SEQUENCE);
    inferRefused(first(number(0), 1), NO_SEQUENCE);
    inferRefused(first(text(""), 1), NO_SEQUENCE);
  }

  @Test
  @Rule("GRPC-SEQ-03")
  void rejectsMoreThanOneRow() {
    inferRefused(
        rows(1, 2).putParameters("sequence_id", number(13)).putParameters("sequence_start", TRUE),
        "inference request to model 'sequence_echo' must specify batch-size 1 due to requirements"
            + " of sequence batcher");
    inferRefused(request(number(13), 1), notStarted("13"));
  }

  @Test
  @Rule("GRPC-SEQ-04")
  void rejectsARequestOfASequenceThatWasNotStartedOrHasEnded() {
    inferRefused(request(number(14), 1), notStarted("14"));
    inferRefused(last(text("fourteen"), 1), notStarted("fourteen"));

    echoed(first(number(15), 1).putParameters("sequence_end", TRUE), 1);
    inferRefused(request(number(15), 2), notStarted("15"));
  }

  @Test
  @Rule("GRPC-SEQ-05")
  void rejectsSequenceParametersOfTheWrongKind() {
    inferRefused(
        first(TRUE, 1),
        "invalid value type for 'sequence_id' parameter, expected int64_param or string_param.");
    inferRefused(
        request(number(16), 1).putParameters("sequence_start", number(1)),
        "invalid value type for 'sequence_start' parameter, expected bool_param.");
    inferRefused(
        first(number(16), 1).putParameters("sequence_end", text("true")),
        "invalid value type for 'sequence_end' parameter, expected bool_param.");
    inferRefused(request(number(16), 1), notStarted("16"));
  }

  @Test
  @Rule("GRPC-SEQ-05")
  void rejectsATextThatIsTooLongForAnId() {
    rejected(
        () -> calls().modelInfer(first(text("x".repeat(129)), 1).build()),
        Status.Code.UNIMPLEMENTED,
        "string correlation ID cannot be longer than 128 characters");
  }

  @Test
  @Rule("GRPC-SEQ-06")
  void servesSequencesSideBySideOnAStream() {
    try (var stream = OpenStream.on(channel())) {
      stream.send(first(number(21), 1));
      stream.send(first(text("twenty-one"), 2));
      stream.send(request(number(21), 3));
      stream.send(last(text("twenty-one"), 4));
      stream.send(last(number(21), 5));
      stream.halfClose();

      for (int value = 1; value <= 5; value++) {
        assertEchoed(StreamVerification.response(stream.next()), value);
      }
      assertThat(stream.end().getCode()).isEqualTo(Status.Code.OK);
    }
  }

  @Test
  @Rule("GRPC-SEQ-07")
  void rejectsARequestOfASequenceOnAStreamAndTheStreamGoesOn() {
    try (var stream = OpenStream.on(channel())) {
      stream.send(request(number(22), 1).setId("unstarted"));
      var rejection = stream.next();
      assertThat(rejection.getErrorMessage()).isEqualTo(notStarted("22"));
      assertThat(rejection.getInferResponse().getId()).isEqualTo("unstarted");

      stream.send(rows(1).setId("nameless"));
      assertThat(stream.next().getErrorMessage()).isEqualTo(NO_SEQUENCE);

      stream.send(first(number(22), 2).putParameters("sequence_end", TRUE));
      assertEchoed(StreamVerification.response(stream.next()), 2);
    }
  }

  @Test
  @Rule("GRPC-SEQ-08")
  void aSequenceIsOfTheServerAndOfNoStream() {
    try (var stream = OpenStream.on(channel())) {
      stream.send(first(number(23), 1));
      assertEchoed(StreamVerification.response(stream.next()), 1);
      stream.halfClose();
      assertThat(stream.end().getCode()).isEqualTo(Status.Code.OK);
    }
    echoed(request(number(23), 2), 2);
    try (var stream = OpenStream.on(channel())) {
      stream.send(last(number(23), 3));
      assertEchoed(StreamVerification.response(stream.next()), 3);
    }
    inferRefused(request(number(23), 4), notStarted("23"));
  }
}

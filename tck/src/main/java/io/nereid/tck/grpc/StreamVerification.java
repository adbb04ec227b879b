package io.nereid.tck.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.wire.ModelInferRequest;
import io.nereid.tck.wire.ModelInferResponse;
import io.nereid.tck.wire.ModelStreamInferResponse;
import java.util.stream.IntStream;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Order, ends and life of {@code ModelStreamInfer}; failures are {@link StreamErrorVerification}'s.
 */
public abstract class StreamVerification extends GrpcVerification {
  static final String FINAL = "triton_final_response";

  static ModelInferRequest.Builder echo(String id, int value) {
    return request("identity_int32", input("INPUT0", "INT32", 1), ints(value)).setId(id);
  }

  /** So large that the response to a later request is ready before. */
  static ModelInferRequest.Builder large(String id) {
    int byteSize = 16 << 20;
    var zeros = ByteString.copyFrom(new byte[byteSize]);
    return request("identity_uint8", input("INPUT0", "UINT8", byteSize), zeros).setId(id);
  }

  /** A request for the decoupled model, which gets a response for each value. */
  static ModelInferRequest.Builder repeat(String id, int... values) {
    return request("repeat", input("IN", "INT32", values.length), ints(values)).setId(id);
  }

  /** As {@link #repeat}, but it ends only when it is cancelled. */
  static ModelInferRequest.Builder hold(String id) {
    return repeat(id, 0).putParameters("hold", parameter(true));
  }

  /** The response in a message that is no failure. */
  static ModelInferResponse response(ModelStreamInferResponse message) {
    assertThat(message.getErrorMessage()).isEmpty();
    return message.getInferResponse();
  }

  static boolean isFinal(ModelInferResponse response) {
    assertThat(response.getParametersMap()).containsKey(FINAL);
    return response.getParametersOrThrow(FINAL).getBoolParam();
  }

  private static void answers(OpenStream stream, String id, int index, int value) {
    ModelInferResponse response = response(stream.next());
    assertThat(response.getId()).isEqualTo(id);
    assertThat(response.getModelName()).isEqualTo("repeat");
    assertThat(response.getModelVersion()).isEqualTo("1");
    assertThat(raw(response, "OUT")).isEqualTo(ints(value));
    assertThat(raw(response, "IDX")).isEqualTo(ints(index));
    assertThat(isFinal(response)).isFalse();
  }

  @Rule("GRPC-STREAM-01")
  void answersAThousandRequestsForTwoModelsInTheirOrder() {
    try (var stream = OpenStream.on(channel())) {
      IntStream.range(0, 1000)
          .forEach(i -> stream.send(i % 2 == 0 ? echo("e" + i, i) : simple().setId("s" + i)));
      stream.halfClose();

      for (int i = 0; i < 1000; i++) {
        ModelInferResponse response = response(stream.next());
        assertThat(response.getId()).isEqualTo((i % 2 == 0 ? "e" : "s") + i);
        assertThat(raw(response, "OUTPUT0").size()).isEqualTo(i % 2 == 0 ? 4 : 64);
        assertThat(isFinal(response)).isTrue();
      }
      assertThat(stream.end().getCode()).isEqualTo(Status.Code.OK);
    }
  }

  @Rule("GRPC-STREAM-02")
  void responsesOfOrdinaryModelsAndRejectionsWaitForTheOnesBefore() {
    try (var stream = OpenStream.on(channel())) {
      for (int i = 0; i < 3; i++) {
        stream.send(large("large " + i));
        stream.send(echo("small " + i, i));
        stream.send(echo("rejected " + i, i).setModelName("unknown"));
      }

      for (int i = 0; i < 3; i++) {
        assertThat(response(stream.next()).getId()).isEqualTo("large " + i);
        assertThat(response(stream.next()).getId()).isEqualTo("small " + i);
        assertThat(stream.next().getInferResponse().getId()).isEqualTo("rejected " + i);
      }
    }
  }

  @Rule("GRPC-STREAM-03")
  void eachResponseNamesItsRequestAndTheVersionThatServedIt() {
    try (var stream = OpenStream.on(channel())) {
      stream.send(echo("newest", 7).setModelName("two_versions"));
      stream.send(echo("", 8).setModelName("two_versions").setModelVersion("1"));

      ModelInferResponse newest = response(stream.next());
      assertThat(newest.getId()).isEqualTo("newest");
      assertThat(newest.getModelName()).isEqualTo("two_versions");
      assertThat(newest.getModelVersion()).isEqualTo("3");
      ModelInferResponse first = response(stream.next());
      assertThat(first.getId()).isEmpty();
      assertThat(first.getModelVersion()).isEqualTo("1");
    }
  }

  @Rule({"GRPC-STREAM-04", "GRPC-STREAM-05"})
  void aDecoupledModelAnswersInOrderAndEndsSilently() {
    try (var stream = OpenStream.on(channel())) {
      stream.send(repeat("a", 5, 6, 7));
      stream.send(repeat("none"));
      stream.send(repeat("b", 8));
      stream.halfClose();

      answers(stream, "a", 0, 5);
      answers(stream, "a", 1, 6);
      answers(stream, "a", 2, 7);
      answers(stream, "b", 0, 8);
      assertThat(stream.end().getCode()).isEqualTo(Status.Code.OK);
    }
  }

  @RuleCases("GRPC-STREAM-06")
  @ValueSource(strings = {"", "1"})
  void theEndOfADecoupledRequestIsAMessageIfRequested(String version) {
    try (var stream = OpenStream.on(channel())) {
      stream.send(
          repeat("a", 5)
              .setModelVersion(version)
              .putParameters("triton_enable_empty_final_response", parameter(true)));
      stream.send(
          repeat("none").putParameters("triton_enable_empty_final_response", parameter(true)));

      answers(stream, "a", 0, 5);
      ModelInferResponse end = response(stream.next());
      assertThat(end.getId()).isEqualTo("a");
      assertThat(end.getModelName()).isEqualTo("repeat");
      assertThat(end.getModelVersion()).isEqualTo(version);
      assertThat(end.getOutputsList()).isEmpty();
      assertThat(end.getRawOutputContentsList()).isEmpty();
      assertThat(isFinal(end)).isTrue();
      ModelInferResponse none = response(stream.next());
      assertThat(none.getId()).isEqualTo("none");
      assertThat(isFinal(none)).isTrue();
    }
  }

  @Rule("GRPC-STREAM-07")
  void aDecoupledRequestThatGoesOnHoldsNoOrdinaryOneUp() {
    try (var stream = OpenStream.on(channel())) {
      stream.send(hold("held"));
      assertThat(response(stream.next()).getId()).isEqualTo("held");

      for (int i = 0; i < 3; i++) {
        stream.send(echo("echo " + i, i));
        assertThat(response(stream.next()).getId()).isEqualTo("echo " + i);
      }
    }
  }

  @Rule("GRPC-STREAM-08")
  void aDecoupledModelGivesOnlyTheOutputsThatAreRequested() {
    try (var stream = OpenStream.on(channel())) {
      stream.send(repeat("a", 5).addOutputs(output("IDX")));

      ModelInferResponse response = response(stream.next());
      assertThat(response.getOutputsCount()).isEqualTo(1);
      assertThat(raw(response, "IDX")).isEqualTo(ints(0));
    }
  }

  @Rule("GRPC-STREAM-09")
  void aCancelledStreamCancelsItsRequests() {
    for (int i = 0; i < 3; i++) { // the next round needs the model that the last one held
      try (var stream = OpenStream.on(channel())) {
        stream.send(hold("held"));
        stream.send(hold("waiting"));
        assertThat(response(stream.next()).getId()).isEqualTo("held");
        stream.cancel();
        assertThat(stream.end().getCode()).isEqualTo(Status.Code.CANCELLED);
      }
    }
    answersAGoodRequest();
  }

  @Rule("GRPC-STREAM-10")
  void anEmptyStreamEndsWell() {
    try (var stream = OpenStream.on(channel())) {
      stream.halfClose();
      assertThat(stream.end().getCode()).isEqualTo(Status.Code.OK);
    }
  }

  @Rule("GRPC-STREAM-11")
  void manyResponsesOfOneRequestComeInOrder() {
    int[] values = IntStream.range(0, 5_000).toArray();
    try (var stream = OpenStream.on(channel())) {
      stream.send(repeat("many", values));
      stream.halfClose();
      for (int value : values) {
        answers(stream, "many", value, value);
      }
      assertThat(stream.end().getCode()).isEqualTo(Status.Code.OK);
    }
  }

  @Rule("GRPC-STREAM-12")
  void aUnaryCallTakesNoDecoupledModelAndMarksNoResponse() {
    rejected(
        () -> infer(repeat("a", 5)),
        Status.Code.UNIMPLEMENTED,
        "ModelInfer RPC doesn't support models with decoupled transaction policy");

    var request = simple().putParameters("triton_enable_empty_final_response", parameter(true));
    assertThat(infer(request).getParametersMap()).doesNotContainKey(FINAL);
  }
}

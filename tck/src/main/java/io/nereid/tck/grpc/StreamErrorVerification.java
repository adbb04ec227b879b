package io.nereid.tck.grpc;

import static io.nereid.tck.grpc.StreamVerification.echo;
import static io.nereid.tck.grpc.StreamVerification.hold;
import static io.nereid.tck.grpc.StreamVerification.isFinal;
import static io.nereid.tck.grpc.StreamVerification.repeat;
import static io.nereid.tck.grpc.StreamVerification.response;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.nereid.tck.Rule;
import io.nereid.tck.wire.ModelInferRequest;
import io.nereid.tck.wire.ModelInferResponse;
import io.nereid.tck.wire.ModelStreamInferResponse;

/** Failures on a stream: most are messages, and the stream goes on. */
public abstract class StreamErrorVerification extends GrpcVerification {
  private static final String UNKNOWN = "Request for unknown model: 'unknown' is not found";
  private static final String NO_INPUT = "model 'optional_echo' got no 'INPUT0'";

  /** A request that fails in its model. */
  private static ModelInferRequest.Builder failing(String id) {
    var request = echo(id, 1).setModelName("optional_echo").setModelVersion("1");
    request.getInputsBuilder(0).setName("INPUT1");
    return request;
  }

  /** The message carries the text and the request's id, and nothing else. */
  private static void rejected(OpenStream stream, ModelInferRequest.Builder request, String text) {
    stream.send(request);
    var message = stream.next();
    assertThat(message.getErrorMessage()).isEqualTo(text);
    assertThat(message.getInferResponse())
        .isEqualTo(ModelInferResponse.newBuilder().setId(request.getId()).build());
  }

  private static void goesOn(OpenStream stream) {
    stream.send(echo("good", 3));
    assertThat(response(stream.next()).getId()).isEqualTo("good");
  }

  @Rule("GRPC-STREAM-ERROR-01")
  void aRejectedRequestIsAMessageWithItsId() {
    try (var stream = OpenStream.on(channel())) {
      rejected(stream, echo("lost", 1).setModelName("unknown"), UNKNOWN);

      rejected(
          stream,
          echo("", 1).setModelVersion("-1"),
          "invalid model version specified '-1' , version should be an integral value > 0");

      rejected(
          stream,
          repeat("wrong", 1).clearRawInputContents(),
          "unable to find data for input tensor 'IN' for model 'repeat' in request.");

      rejected(
          stream,
          repeat("extra", 1).addInputs(input("IN2", "INT32", 0)),
          "unable to find data for input tensor 'IN2' for model 'repeat' in request.");

      var typed = simple().setId("typed");
      typed.getInputsBuilder(0).setDatatype("FP32");
      rejected(
          stream,
          typed,
          "[request id: typed] inference input 'INPUT0' data-type is 'FP32', but model 'simple'"
              + " expects 'INT32'");
      goesOn(stream);
    }
  }

  @Rule("GRPC-STREAM-ERROR-02")
  void aFailedRequestIsAMessageThatNamesTheModelAndTheVersionAskedFor() {
    try (var stream = OpenStream.on(channel())) {
      stream.send(failing("failing"));

      ModelStreamInferResponse failure = stream.next();
      assertThat(failure.getErrorMessage()).isEqualTo(NO_INPUT);
      assertThat(failure.getInferResponse().getId()).isEqualTo("failing");
      assertThat(failure.getInferResponse().getModelName()).isEqualTo("optional_echo");
      assertThat(failure.getInferResponse().getModelVersion()).isEqualTo("1");
      assertThat(failure.getInferResponse().getOutputsList()).isEmpty();
      assertThat(isFinal(failure.getInferResponse())).isTrue();
      goesOn(stream);
    }
  }

  @Rule("GRPC-STREAM-ERROR-03")
  void aDecoupledRequestMayFailAfterSomeResponses() {
    try (var stream = OpenStream.on(channel())) {
      stream.send(repeat("a", 4, -1, 5));

      assertThat(isFinal(response(stream.next()))).isFalse();
      ModelStreamInferResponse failure = stream.next();
      assertThat(failure.getErrorMessage()).isEqualTo("IN[1] is -1");
      assertThat(failure.getInferResponse().getId()).isEqualTo("a");
      assertThat(failure.getInferResponse().getModelVersion()).isEmpty();
      assertThat(isFinal(failure.getInferResponse())).isTrue();
      goesOn(stream);
    }
  }

  @Rule("GRPC-STREAM-ERROR-04")
  void aMistypedParameterIsRefused() {
    try (var stream = OpenStream.on(channel())) {
      rejected(
          stream,
          repeat("a", 1).putParameters("triton_enable_empty_final_response", parameter("true")),
          "invalid value type for 'triton_enable_empty_final_response' parameter, expected"
              + " bool_param.");
      goesOn(stream);
    }
  }

  @Rule("GRPC-STREAM-ERROR-05")
  void aFailureEndsTheStreamOfAClientThatAsksForThatAndNoOther() {
    try (var other = OpenStream.on(channel());
        var stream = OpenStream.withGrpcErrors(channel(), "true")) {
      rejected(stream, echo("lost", 1).setModelName("unknown"), UNKNOWN);
      goesOn(stream);

      stream.send(failing("failing"));
      Status end = stream.end();
      assertThat(end.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
      assertThat(end.getDescription()).isEqualTo(NO_INPUT);
      goesOn(other);
    }
  }

  @Rule("GRPC-STREAM-ERROR-06")
  void aFailureThatEndsTheStreamCancelsWhatIsUnderWay() {
    for (int i = 0; i < 2; i++) { // the second round needs the model that the first one held
      try (var stream = OpenStream.withGrpcErrors(channel(), "true")) {
        stream.send(hold("held"));
        assertThat(response(stream.next()).getId()).isEqualTo("held");
        stream.send(failing("failing"));
        assertThat(stream.end().getDescription()).isEqualTo(NO_INPUT);
      }
    }
  }

  @Rule("GRPC-STREAM-ERROR-07")
  void onlyTheExactValueAsksForThat() {
    try (var stream = OpenStream.withGrpcErrors(channel(), "True")) {
      stream.send(failing("failing"));
      assertThat(stream.next().getErrorMessage()).isEqualTo(NO_INPUT);
      goesOn(stream);
    }
  }
}

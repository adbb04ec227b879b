package io.nereid.tck.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.nereid.tck.Rule;
import io.nereid.tck.wire.InferParameter;
import io.nereid.tck.wire.ModelInferRequest;
import io.nereid.tck.wire.ModelInferRequest.InferRequestedOutputTensor;
import org.junit.jupiter.api.Test;

/** The classification extension: the largest elements of an output, as strings. */
public abstract class ClassificationVerification extends GrpcVerification {
  private static ModelInferRequest.Builder classes(InferParameter count) {
    return request("identity_int32", input("INPUT0", "INT32", 3), ints(1, 3, 2))
        .addOutputs(
            InferRequestedOutputTensor.newBuilder()
                .setName("OUTPUT0")
                .putParameters("classification", count));
  }

  @Test
  @Rule("GRPC-CLASS-01")
  void namesTheLargestElementsInRawContents() {
    var response = infer(classes(parameter(2)));

    assertThat(response.getOutputs(0).getDatatype()).isEqualTo("BYTES");
    assertThat(response.getOutputs(0).getShapeList()).containsExactly(2L);
    assertThat(response.getOutputs(0).hasContents()).isFalse();
    assertThat(raw(response, "OUTPUT0"))
        .isEqualTo(ByteString.copyFromUtf8("\3\0\0\0003:1\3\0\0\0002:2"));
  }

  @Test
  @Rule("GRPC-CLASS-02")
  void refusesACountThatIsNotPositiveOrOfAnotherKind() {
    for (long count : new long[] {0, -1}) {
      rejected(
          () -> infer(classes(parameter(count))),
          Status.Code.INVALID_ARGUMENT,
          "invalid value for 'classification' parameter, expected >= 0");
    }
    rejected(
        () -> infer(classes(parameter("2"))),
        Status.Code.INVALID_ARGUMENT,
        "invalid value type for 'classification' parameter, expected int64_param");
  }
}

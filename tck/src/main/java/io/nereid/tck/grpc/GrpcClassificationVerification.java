package io.nereid.tck.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.wire.ModelInferResponse;
import org.junit.jupiter.params.provider.CsvSource;

/** The classification extension: the largest elements of an output, as strings. */
public abstract class GrpcClassificationVerification extends GrpcVerification {
  private static final String REQUEST =
      "model_name: 'identity_int32' $INPUT0:INT32[3]"
          + " raw_input_contents: '\\1\\0\\0\\0\\3\\0\\0\\0\\2\\0\\0\\0' outputs { name: 'OUTPUT0'"
          + " parameters { key: 'classification' value { %s } } }";

  @Rule("GRPC-CLASS-01")
  void namesTheLargestElementsInRawContents() {
    var response = (ModelInferResponse) call("ModelInfer", REQUEST.formatted("int64_param: 2"));
    assertThat(response.getOutputs(0).getDatatype()).isEqualTo("BYTES");
    assertThat(response.getOutputs(0).getShapeList()).containsExactly(2L);
    assertThat(response.getOutputs(0).hasContents()).isFalse();
    assertThat(raw(response, "OUTPUT0"))
        .isEqualTo(ByteString.copyFromUtf8("\3\0\0\0003:1\3\0\0\0002:2"));
  }

  @RuleCases("GRPC-CLASS-02")
  @CsvSource({
    "int64_param: 0,'invalid value for ''classification'' parameter, expected >= 0'",
    "int64_param: -1,'invalid value for ''classification'' parameter, expected >= 0'",
    "string_param: '2','invalid value type for ''classification'' parameter, expected int64_param'"
  })
  void refusesACountThatIsNotPositiveOrOfAnotherKind(String count, String text) {
    rejected("ModelInfer", REQUEST.formatted(count), Status.Code.INVALID_ARGUMENT, text);
  }
}

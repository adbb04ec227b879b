package io.nereid.client.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.protocol.inference.InferTensorContents;
import io.nereid.protocol.inference.ModelInferResponse;
import io.nereid.protocol.inference.ModelInferResponse.InferOutputTensor;
import org.junit.jupiter.api.Test;

/** Responses of servers that write them in other ways than ours. */
class InferMessagesTest {
  private static final InferRequest REQUEST = InferRequest.to("m").build();
  private static final ByteString SEVEN = ByteString.copyFrom(new byte[] {7, 0, 0, 0});

  private static InferOutputTensor.Builder output() {
    return InferOutputTensor.newBuilder().setName("OUT").setDatatype("INT32").addShape(1);
  }

  private static InferResponse read(ModelInferResponse.Builder message) {
    return InferMessages.response(REQUEST, message.build(), "grpc://here");
  }

  @Test
  void contentsAreReadWhereThereAreNoRawBytes() {
    InferTensorContents seven = InferTensorContents.newBuilder().addIntContents(7).build();

    InferResponse response =
        read(ModelInferResponse.newBuilder().addOutputs(output().setContents(seven)));

    assertThat(response.output("OUT").ints()).containsExactly(7);
    assertThat(response.parameters()).isEmpty();
  }

  @Test
  void contentsThatAreEmptyDoNotHideTheRawBytes() {
    InferTensorContents none = InferTensorContents.getDefaultInstance();

    InferResponse response =
        read(
            ModelInferResponse.newBuilder()
                .addOutputs(output().setContents(none))
                .addRawOutputContents(SEVEN));

    assertThat(response.output("OUT").ints()).containsExactly(7);
  }

  @Test
  void anOutputWithoutEitherIsSaid() {
    assertThatThrownBy(() -> read(ModelInferResponse.newBuilder().addOutputs(output())))
        .hasMessageContaining("the output 'OUT' has no data");
  }
}

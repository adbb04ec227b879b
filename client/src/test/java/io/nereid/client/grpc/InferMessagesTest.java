package io.nereid.client.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.Tensor;
import io.nereid.protocol.inference.InferTensorContents;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferResponse;
import io.nereid.protocol.inference.ModelInferResponse.InferOutputTensor;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
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

  /** Else gRPC gets pieces of 4 KiB, and makes a buffer and a frame of each. */
  @Test
  void theElementsOfATensorAreWrittenInLargePieces() throws IOException {
    ModelInferRequest message =
        InferMessages.request(
            InferRequest.to("m").input("A", Tensor.of(new float[100_000])).build());
    List<Integer> writes = new ArrayList<>();

    message.writeTo(
        new OutputStream() {
          @Override
          public void write(int value) {
            writes.add(1);
          }

          @Override
          public void write(byte[] bytes, int from, int count) {
            writes.add(count);
          }
        });

    assertThat(writes).hasSizeLessThan(4);
  }

  @Test
  void anOutputWithoutEitherIsSaid() {
    assertThatThrownBy(() -> read(ModelInferResponse.newBuilder().addOutputs(output())))
        .hasMessageContaining("the output 'OUT' has no data");
  }
}

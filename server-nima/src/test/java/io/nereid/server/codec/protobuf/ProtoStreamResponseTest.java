package io.nereid.server.codec.protobuf;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.request.InferenceResponse;
import io.nereid.error.InferenceException;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.protocol.inference.ModelInferResponse;
import io.nereid.protocol.inference.ModelStreamInferResponse;
import io.nereid.request.ModelKey;
import io.nereid.request.Parameter;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProtoStreamResponseTest {
  private static final InferParameter TRUE = InferParameter.newBuilder().setBoolParam(true).build();

  private static ModelStreamInferResponse written(ProtoStreamResponse message) throws IOException {
    var bytes = new ByteArrayOutputStream();
    message.writeTo(bytes);
    assertThat(bytes.size()).isEqualTo(message.byteSize());
    return ModelStreamInferResponse.parseFrom(bytes.toByteArray());
  }

  private static ModelInferResponse last(String version) {
    return ModelInferResponse.newBuilder()
        .setId("id")
        .setModelName("m")
        .setModelVersion(version)
        .putParameters("triton_final_response", TRUE)
        .build();
  }

  private static InferenceResponse response(Map<String, Parameter> parameters, int byteSize) {
    var data = MemorySegment.ofArray(new byte[byteSize]);
    return new InferenceResponse(
        new ModelKey("m", 3),
        "id",
        parameters,
        List.of(new Tensor("OUT", DataType.UINT8, Shape.of(byteSize), data)),
        List.of());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100, 20_000, 3 << 20})
  void aResponseIsTheUnaryOneWithTheFinalFlag(int byteSize) throws IOException {
    var message = written(ProtoStreamResponse.of(response(Map.of(), byteSize), true));

    assertThat(message.getErrorMessage()).isEmpty();
    ModelInferResponse response = message.getInferResponse();
    assertThat(response.getId()).isEqualTo("id");
    assertThat(response.getModelVersion()).isEqualTo("3");
    assertThat(response.getRawOutputContents(0).size()).isEqualTo(byteSize);
    assertThat(response.getParametersMap()).containsOnly(Map.entry("triton_final_response", TRUE));
  }

  @Test
  void addsTheFinalFlagToTheModelsParameters() throws IOException {
    var own = Map.<String, Parameter>of("n", new Parameter.OfLong(4));
    var message = written(ProtoStreamResponse.of(response(own, 1), false));

    assertThat(message.getInferResponse().getParametersMap())
        .hasSize(2)
        .containsEntry("n", InferParameter.newBuilder().setInt64Param(4).build())
        .containsEntry(
            "triton_final_response", InferParameter.newBuilder().setBoolParam(false).build());
  }

  @Test
  void aRejectionHasTextAndId() throws IOException {
    var message = written(ProtoStreamResponse.rejection("id", InferenceException.invalid("no")));

    assertThat(message.getErrorMessage()).isEqualTo("no");
    assertThat(message.getInferResponse())
        .isEqualTo(ModelInferResponse.newBuilder().setId("id").build());
  }

  @Test
  void aFailureHasAlsoModelVersionAndFinalFlag() throws IOException {
    var message =
        written(ProtoStreamResponse.failure("id", "m", "", InferenceException.invalid("no")));

    assertThat(message.getErrorMessage()).isEqualTo("no");
    assertThat(message.getInferResponse()).isEqualTo(last(""));
  }

  @Test
  void aFailureWithoutATextHasTheNameOfItsCode() throws IOException {
    var message =
        written(ProtoStreamResponse.failure("id", "m", "1", InferenceException.cancelled()));

    assertThat(message.getErrorMessage()).isEqualTo("Cancelled");
    assertThat(message.getInferResponse().getModelVersion()).isEqualTo("1");
  }

  @Test
  void anEndHasNoOutputs() throws IOException {
    var message = written(ProtoStreamResponse.end("id", "m", "2"));

    assertThat(message.getErrorMessage()).isEmpty();
    assertThat(message.getInferResponse()).isEqualTo(last("2"));
  }
}

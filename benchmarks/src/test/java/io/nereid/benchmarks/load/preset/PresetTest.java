package io.nereid.benchmarks.load.preset;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.protocol.inference.InferParameter;
import io.nereid.protocol.inference.ModelInferRequest;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The baseline's requests, with the sizes that were measured for the baseline. */
final class PresetTest {
  /** Size of gRPC's message prefix, which the baseline's sizes include. */
  private static final int PREFIX = 5;

  @Test
  void hasTheTwentySevenCellsOfTheBaseline() {
    assertThat(Preset.all()).hasSize(27);
    assertThat(Preset.all().getFirst()).hasToString("grpc simple 1");
    assertThat(Preset.all().getLast()).hasToString("http convnet binary 8");
  }

  @ParameterizedTest
  @CsvSource({
    "grpc simple,187",
    "grpc identity 588 KiB,602157",
    "grpc mlp,3170",
    "grpc convnet,602154"
  })
  void grpcRequestsHaveTheSizesOfTheBaseline(String cell, int size) {
    assertThat(((GrpcRequest) request(cell)).message()).hasSize(size - PREFIX);
  }

  @Test
  void jsonRequestIsThatOfTheBaseline() {
    var body = ((RestRequest) request("http simple json")).body();

    assertThat(new String(body, US_ASCII))
        .hasSize(210)
        .isEqualTo(
            """
            {"inputs":[{"name":"INPUT0","shape":[1,16],"datatype":"INT32","data":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]},\
            {"name":"INPUT1","shape":[1,16],"datatype":"INT32","data":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]}]}\
            """);
  }

  @Test
  void writesFloatsWithSixDecimals() {
    var body = ((RestRequest) request("http identity json 1024 floats")).body();

    assertThat(new String(body, US_ASCII))
        .startsWith(
            "{\"inputs\":[{\"name\":\"INPUT0\",\"shape\":[1024],\"datatype\":\"FP32\",\"data\":[0.000000,0.003922,0.007843,")
        .endsWith(",0.996078,1.000000]}]}");
  }

  @Test
  void binaryRequestHasTensorDataAfterTheJson() {
    var request = (RestRequest) request("http simple binary");
    var wire = new String(request.to(URI.create("http://127.0.0.1:8000"), "simple"), US_ASCII);

    var json =
        """
        {"inputs":[{"name":"INPUT0","shape":[1,16],"datatype":"INT32","parameters":{"binary_data_size":64}},\
        {"name":"INPUT1","shape":[1,16],"datatype":"INT32","parameters":{"binary_data_size":64}}],\
        "outputs":[{"name":"OUTPUT0","parameters":{"binary_data":true}},\
        {"name":"OUTPUT1","parameters":{"binary_data":true}}]}\
        """;
    assertThat(wire)
        .startsWith("POST /v2/models/simple/infer HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n")
        .contains("\r\nContent-Type: application/octet-stream\r\n")
        .contains("\r\nInference-Header-Content-Length: %d\r\n".formatted(json.length()))
        .contains("\r\nContent-Length: %d\r\n\r\n%s".formatted(json.length() + 128, json));
    var tensors =
        ByteBuffer.wrap(request.body())
            .position(json.length())
            .slice()
            .order(ByteOrder.LITTLE_ENDIAN);
    assertThat(tensors.remaining()).isEqualTo(128);
    assertThat(tensors.getInt(15 * 4)).isEqualTo(15);
    assertThat(tensors.getInt(16 * 4)).isZero();
  }

  @Test
  void largeTensorsHaveTheSizeOfTheirCell() throws IOException {
    for (Preset preset : Preset.large()) {
      var message = ModelInferRequest.parseFrom(((GrpcRequest) preset.request()).message());
      assertThat(preset.cell())
          .isEqualTo("grpc identity %d MiB", message.getRawInputContents(0).size() >> 20);
    }
  }

  @Test
  void requestsInRegionsHaveNoTensorData() throws IOException {
    var cells = Preset.inRegions();
    var http = (RestRequest) cells.getLast().request();
    var grpc = ModelInferRequest.parseFrom(((GrpcRequest) cells.getFirst().request()).message());

    assertThat(new String(http.body(), US_ASCII))
        .isEqualTo(
            """
            {"inputs":[{"name":"INPUT0","shape":[150528],"datatype":"FP32","parameters":\
            {"shared_memory_region":"load_in","shared_memory_byte_size":602112}}],\
            "outputs":[{"name":"OUTPUT0","parameters":\
            {"shared_memory_region":"load_out","shared_memory_byte_size":602112}}]}\
            """);
    assertThat(grpc.getRawInputContentsList()).isEmpty();
    assertThat(grpc.getInputs(0).getShapeList()).containsExactly(150528L);
    assertRegion(grpc.getInputs(0).getParametersMap(), "load_in");
    assertRegion(grpc.getOutputs(0).getParametersMap(), "load_out");
  }

  private static void assertRegion(Map<String, InferParameter> parameters, String name) {
    assertThat(parameters).hasSize(2);
    assertThat(Objects.requireNonNull(parameters.get("shared_memory_region")).getStringParam())
        .isEqualTo(name);
    assertThat(Objects.requireNonNull(parameters.get("shared_memory_byte_size")).getInt64Param())
        .isEqualTo(602112);
  }

  @Test
  void floatsRiseToOneIn256Steps() {
    var bytes =
        ByteBuffer.wrap(RampTensor.of("x", RampTensor.Type.FP32, 300L).bytes())
            .order(ByteOrder.LITTLE_ENDIAN);

    assertThat(bytes.getFloat(4)).isEqualTo(1 / 255f);
    assertThat(bytes.getFloat(255 * 4)).isEqualTo(1);
    assertThat(bytes.getFloat(256 * 4)).isZero();
  }

  private static Preset.Request request(String cell) {
    return Preset.all().stream()
        .filter(preset -> preset.cell().equals(cell))
        .findFirst()
        .orElseThrow()
        .request();
  }
}

package io.nereid.server.model;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferResponse;
import io.nereid.protocol.inference.ModelMetadataRequest;
import io.nereid.server.LocalServer;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The example ensemble over sockets, on digits that its model was not trained with. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DigitsEnsembleTest {
  private static final Path EXAMPLES = Path.of("..", "examples");
  private static final Path HELD_OUT = EXAMPLES.resolve("digits/held-out");
  private static final List<String> MODELS =
      List.of("digits", "digits_pixels", "digits_label", "digits_ensemble");
  private static final int DIGITS = 40;

  /** The errors that the test accepts; the model reads 355 of 360 digits correctly. */
  private static final int TOLERATED = 2;

  private final List<String> labels;
  private LocalServer server;

  DigitsEnsembleTest() throws IOException {
    labels = Files.readAllLines(EXAMPLES.resolve("models/digits/labels.txt"));
  }

  /** An image of 8-bit pixels and its label. */
  private record Digit(ByteString grey, String name) {}

  @BeforeAll
  void start() throws IOException {
    server = new LocalServer(EXAMPLES.resolve("models"));
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private List<Digit> digits() throws IOException {
    return Files.readAllLines(HELD_OUT.resolve("truth.tsv")).stream()
        .limit(DIGITS)
        .map(line -> line.split("\t"))
        .map(columns -> new Digit(grey(columns[0]), labels.get(Integer.parseInt(columns[1]))))
        .toList();
  }

  /** The pixels of a request, 0 to 16, as 0 to 255. */
  private static ByteString grey(String file) {
    try {
      Object request = Json.parse(Files.readAllBytes(HELD_OUT.resolve(file)));
      List<?> pixels = Json.list(Json.list(request, "inputs").getFirst(), "data");
      var grey = new byte[pixels.size()];
      for (int i = 0; i < grey.length; i++) {
        grey[i] = (byte) Math.round(((BigDecimal) pixels.get(i)).floatValue() * 255 / 16);
      }
      return ByteString.copyFrom(grey);
    } catch (IOException unreadable) {
      throw new AssertionError(unreadable);
    }
  }

  private Object overHttp(String more, List<Digit> digits) {
    var pixels = new ArrayList<Integer>();
    for (Digit digit : digits) {
      digit.grey().forEach(pixel -> pixels.add(Byte.toUnsignedInt(pixel)));
    }
    String body =
        """
        {"inputs":[{"name":"grey","datatype":"UINT8","shape":[%d,1,8,8],"data":%s}]%s}
        """
            .formatted(digits.size(), pixels, more);
    return server.infer("digits_ensemble", body);
  }

  private static List<?> output(Object response, String name) {
    return Json.list(LocalServer.output(response, name), "data");
  }

  private static long wrong(List<?> read, List<Digit> digits) {
    long wrong = 0;
    for (int i = 0; i < digits.size(); i++) {
      wrong += read.get(i).equals(digits.get(i).name()) ? 0 : 1;
    }
    return wrong;
  }

  @Test
  void classifiesABatchOfImagesOverHttp() throws IOException {
    List<Digit> digits = digits();

    Object response = overHttp("", digits);

    assertThat(output(response, "label")).hasSize(DIGITS);
    assertThat(wrong(output(response, "label"), digits)).isLessThanOrEqualTo(TOLERATED);
    assertThat(output(response, "probability")).hasSize(DIGITS);
    assertThat(output(response, "probabilities")).hasSize(10 * DIGITS);
  }

  @Test
  void classifiesSingleImagesOverGrpc() throws IOException {
    var stub = GRPCInferenceServiceGrpc.newBlockingStub(server.channel());
    List<Digit> digits = digits();

    List<String> read = digits.stream().map(digit -> label(stub, digit)).toList();

    assertThat(wrong(read, digits)).isLessThanOrEqualTo(TOLERATED);
  }

  private static String label(
      GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub stub, Digit digit) {
    var request = ModelInferRequest.newBuilder().setModelName("digits_ensemble").setId("g");
    request
        .addInputsBuilder()
        .setName("grey")
        .setDatatype("UINT8")
        .addAllShape(List.of(1L, 1L, 8L, 8L));
    request.addRawInputContents(digit.grey());
    request.addOutputsBuilder().setName("label");
    ModelInferResponse response = stub.modelInfer(request.build());
    assertThat(response.getId()).isEqualTo("g");
    assertThat(response.getModelName()).isEqualTo("digits_ensemble");
    assertThat(response.getOutputs(0).getShapeList()).containsExactly(1L, 1L);
    return response.getRawOutputContents(0).substring(Integer.BYTES).toStringUtf8();
  }

  @Test
  void classifiesWithTheLabelsOfTheComposingModel() throws IOException {
    Digit digit = digits().getFirst();

    Object response =
        overHttp(
            ",\"outputs\":[{\"name\":\"probabilities\",\"parameters\":{\"classification\":1}}]",
            List.of(digit));

    assertThat(output(response, "probabilities").getFirst().toString())
        .endsWith(":" + digit.name());
  }

  @Test
  void countsTheRequestsOfTheEnsembleAndOfItsModels() throws IOException {
    overHttp("", digits());

    for (String model : MODELS) {
      try (var wire = new HttpWire(server.http())) {
        HttpWire.Response response =
            wire.send("GET", "/v2/models/" + model + "/stats", new byte[0], Map.of());
        Object statistics = Json.list(Json.parse(response.body()), "model_stats").getFirst();
        assertThat((BigDecimal) Json.member(statistics, "inference_count"))
            .as(model)
            .isGreaterThanOrEqualTo(BigDecimal.valueOf(DIGITS));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"digits_ensemble,ensemble", "digits,onnxruntime_onnx"})
  void theMetadataOfAModelNameThePlatformOfItsConfiguration(String model, String platform) {
    try (var wire = new HttpWire(server.http())) {
      HttpWire.Response response = wire.send("GET", "/v2/models/" + model, new byte[0], Map.of());
      assertThat(Json.member(Json.parse(response.body()), "platform")).isEqualTo(platform);
    }
    var request = ModelMetadataRequest.newBuilder().setName(model).build();
    assertThat(
            GRPCInferenceServiceGrpc.newBlockingStub(server.channel())
                .modelMetadata(request)
                .getPlatform())
        .isEqualTo(platform);
  }
}

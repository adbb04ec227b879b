package io.nereid.server.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferRequest.InferInputTensor;
import io.nereid.protocol.inference.ModelStreamInferResponse;
import io.nereid.server.LocalServer;
import io.nereid.tck.TckModels;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Header fields and metadata that become parameters, which the model returns. Sources: Triton,
 * docs/protocol/extension_parameters.md; QA L0_parameters.
 */
@Timeout(60)
class HeaderForwardingTest {
  private static final String JSON =
      """
      {"parameters":{"own":"1"},
       "inputs":[{"name":"INPUT0","datatype":"UINT8","shape":[1],"data":[7]}]}\
      """;

  @TempDir private Path models;

  private LocalServer start(String... options) throws IOException {
    TckModels.extractTo(models);
    return new LocalServer(LocalServer.options(models, options), new CheckedBufferPool());
  }

  private static HttpWire.Response http(LocalServer server, String... headers) {
    try (var wire = new HttpWire(server.http())) {
      return wire.exchange(
          """
          POST /v2/models/identity_uint8/infer HTTP/1.1\r
          Host: x\r
          %s\r
          Content-Length: %d\r
          \r
          %s\
          """
              .formatted(String.join("\r\n", headers), JSON.length(), JSON)
              .getBytes(UTF_8));
    }
  }

  private static Object parameters(HttpWire.Response response) {
    assertThat(response.status()).as(response.text()).isEqualTo(200);
    return Json.member(Json.parse(response.body()), "parameters");
  }

  private static ModelInferRequest request() {
    return ModelInferRequest.newBuilder()
        .setModelName("identity_uint8")
        .putParameters("own", InferParameter.newBuilder().setStringParam("1").build())
        .addInputs(InferInputTensor.newBuilder().setName("INPUT0").setDatatype("UINT8").addShape(1))
        .addRawInputContents(ByteString.copyFrom(new byte[] {7}))
        .build();
  }

  private static Metadata metadata(String... namesAndValues) {
    var metadata = new Metadata();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      metadata.put(
          Metadata.Key.of(namesAndValues[i], Metadata.ASCII_STRING_MARSHALLER),
          namesAndValues[i + 1]);
    }
    return metadata;
  }

  private static Map<String, InferParameter> grpc(LocalServer server, Metadata metadata) {
    return GRPCInferenceServiceGrpc.newBlockingStub(server.channel())
        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata))
        .modelInfer(request())
        .getParametersMap();
  }

  private static InferParameter text(String value) {
    return InferParameter.newBuilder().setStringParam(value).build();
  }

  @Test
  void noHeaderIsForwardedWithoutAPattern() throws IOException {
    try (var server = start()) {
      assertThat(parameters(http(server, "my_header: a"))).isEqualTo(Map.of("own", "1"));
      assertThat(grpc(server, metadata("my_header", "a")))
          .containsOnly(Map.entry("own", text("1")));
    }
  }

  @Test
  void headersWithThePatternInTheirNamesAreForwardedWithTheirSpelling() throws IOException {
    try (var server =
        start(
            "--http-header-forward-pattern=HEADER_.*", "--grpc-header-forward-pattern=HEADER_.*")) {
      assertThat(
              parameters(
                  http(server, "my_Header_1:  a b ", "other: c", "HEADER_2:", "header_own: \"d\"")))
          .isEqualTo(
              Map.of("own", "1", "my_Header_1", "a b", "HEADER_2", "", "header_own", "\"d\""));
      assertThat(grpc(server, metadata("my_header_1", "a", "other", "c")))
          .containsOnly(Map.entry("own", text("1")), Map.entry("my_header_1", text("a")));
    }
  }

  @Test
  void aPatternMayDistinguishLetterCase() throws IOException {
    try (var server =
        start(
            "--http-header-forward-pattern=(?-i)MY_.*",
            "--grpc-header-forward-pattern",
            "(?-i)MY_.*")) {
      assertThat(parameters(http(server, "my_a: 1", "MY_b: 2")))
          .isEqualTo(Map.of("own", "1", "MY_b", "2"));
      assertThat(grpc(server, metadata("my_a", "1"))).containsOnly(Map.entry("own", text("1")));
    }
  }

  @Test
  void aHeaderReplacesAParameterOfTheRequest() throws IOException {
    try (var server =
        start("--http-header-forward-pattern=^own$", "--grpc-header-forward-pattern=^own$")) {
      assertThat(parameters(http(server, "own: 2"))).isEqualTo(Map.of("own", "2"));
      assertThat(grpc(server, metadata("own", "2"))).containsOnly(Map.entry("own", text("2")));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sequence_id",
        "sequence_start",
        "sequence_end",
        "priority",
        "timeout",
        "headers",
        "binary_data_output",
        "triton_anything"
      })
  void aReservedNameIsRejected(String name) throws IOException {
    String text = "Header '" + name + "' is reserved for Triton usage and cannot be forwarded.";
    try (var server =
        start("--http-header-forward-pattern=.*", "--grpc-header-forward-pattern=.*")) {
      var response = http(server, name + ": 1");
      assertThat(response.status()).isEqualTo(400);
      assertThat(response.text()).contains(text);
      assertThatExceptionOfType(StatusRuntimeException.class)
          .isThrownBy(() -> grpc(server, metadata(name, "1")))
          .satisfies(rejected -> {
            assertThat(rejected.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
            assertThat(rejected.getStatus().getDescription()).isEqualTo(text);
          });
      assertThat(grpc(server, metadata("plain", "1"))).containsEntry("plain", text("1"));
    }
  }

  @Test
  void aStreamForwardsItsMetadataWithEachRequest() throws Exception {
    try (var server = start("--grpc-header-forward-pattern=^my_")) {
      var last = new CompletableFuture<ModelStreamInferResponse>();
      StreamObserver<ModelInferRequest> stream =
          GRPCInferenceServiceGrpc.newStub(server.channel())
              .withInterceptors(
                  MetadataUtils.newAttachHeadersInterceptor(metadata("my_header", "a")))
              .modelStreamInfer(
                  new StreamObserver<>() {
                    private int count;

                    @Override
                    public void onNext(ModelStreamInferResponse response) {
                      if (++count == 2) {
                        last.complete(response);
                      }
                    }

                    @Override
                    public void onError(Throwable failure) {
                      last.completeExceptionally(failure);
                    }

                    @Override
                    public void onCompleted() {}
                  });
      stream.onNext(request());
      stream.onNext(request());

      assertThat(last.get().getInferResponse().getParametersMap())
          .containsEntry("my_header", text("a"));
      stream.onCompleted();
    }
  }

  @Test
  void longMetadataAreTakenUpToALimit() throws IOException {
    try (var server = start("--grpc-header-forward-pattern=^authorization$")) {
      String token = "t".repeat(9_000);
      assertThat(grpc(server, metadata("authorization", token)))
          .containsEntry("authorization", text(token));
      assertThatExceptionOfType(StatusRuntimeException.class)
          .isThrownBy(() -> grpc(server, metadata("authorization", "t".repeat(20_000))));
    }
    try (var server =
        start("--grpc-header-forward-pattern=^authorization$", "--grpc-max-header-size=40000")) {
      String token = "t".repeat(20_000);
      assertThat(grpc(server, metadata("authorization", token)))
          .containsEntry("authorization", text(token));
    }
  }

  @Test
  void metadataOfGrpcItselfAndBinaryOnesAreNotForwarded() throws IOException {
    Metadata metadata = metadata("plain", "1");
    metadata.put(
        Metadata.Key.of("image-bin", Metadata.BINARY_BYTE_MARSHALLER), new byte[] {1, 2, 3});
    try (var server = start("--grpc-header-forward-pattern=.*")) {
      var parameters =
          GRPCInferenceServiceGrpc.newBlockingStub(server.channel())
              .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata))
              .withCompression("gzip") // grpc-encoding
              .withDeadlineAfter(1, TimeUnit.MINUTES) // grpc-timeout
              .modelInfer(request())
              .getParametersMap();

      assertThat(parameters).containsOnlyKeys("own", "plain", "user-agent");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"generate", "generate_stream"})
  void noHeaderIsForwardedToGenerate(String route) throws IOException {
    String json = "{\"INPUT0\":[7],\"own\":\"1\"}";
    try (var server = start("--http-header-forward-pattern=.*");
        var wire = new HttpWire(server.http())) {
      var response =
          wire.send(
              "POST",
              "/v2/models/identity_uint8/" + route,
              json.getBytes(UTF_8),
              Map.of("my_header", "a", "timeout", "1"));

      assertThat(response.status()).as(response.text()).isEqualTo(200);
      assertThat(response.text()).contains("\"own\":\"1\"").doesNotContain("my_header", "timeout");
    }
  }
}

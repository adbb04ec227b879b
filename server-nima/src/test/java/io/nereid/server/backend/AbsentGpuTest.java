package io.nereid.server.backend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.engine.testing.LogCapture;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.InferTensorContents;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferRequest.InferInputTensor;
import io.nereid.protocol.inference.ModelReadyRequest;
import io.nereid.protocol.inference.RepositoryIndexRequest;
import io.nereid.protocol.inference.RepositoryIndexResponse.ModelIndex;
import io.nereid.server.LocalServer;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server of an ONNX model and two plans, on a machine that lacks what plans need: the backend is
 * told to use a CUDA runtime that does not exist.
 */
@Timeout(120)
class AbsentGpuTest {
  private static final Path EXAMPLES = Path.of("..", "examples");
  private static final int PIXELS = 64;

  @TempDir private Path directory;
  private final LogCapture log = new LogCapture("io.nereid.engine.backend");
  private String reason = "";
  private LocalServer server;
  private GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub grpc;

  @BeforeEach
  void start() throws IOException {
    Path repository = directory.resolve("models");
    Path digits = EXAMPLES.resolve("models/digits");
    ModelOnDisk.of(repository, "digits", Files.readString(digits.resolve("config.pbtxt")))
        .withFile("labels.txt", Files.readString(digits.resolve("labels.txt")))
        .withFile("1/model.onnx", Files.readAllBytes(digits.resolve("1/model.onnx")));
    for (String name : List.of("plan", "second_plan")) {
      ModelOnDisk.of(repository, name, "platform: \"tensorrt_plan\"")
          .withFile("1/model.plan", "not read");
    }
    Path cudart = directory.toAbsolutePath().resolve("libcudart.so");
    reason =
        ("TensorRT backend unavailable: CUDA runtime library not found (tried %s); correct"
                + " --backend-config=tensorrt,cudart")
            .formatted(cudart);
    server =
        new LocalServer(
            LocalServer.options(
                repository, "--exit-on-error=false", "--backend-config=tensorrt,cudart=" + cudart),
            new CheckedBufferPool());
    grpc = GRPCInferenceServiceGrpc.newBlockingStub(server.channel());
  }

  @AfterEach
  void stop() {
    server.close();
    log.close();
  }

  /** The sentence without the folder, which is the operator's to know. */
  private String reasonForClients() {
    return reason.replaceAll("/\\S*/", "");
  }

  private HttpWire.Response http(String method, String path, String body) {
    try (var wire = new HttpWire(server.http())) {
      return wire.send(method, path, body.getBytes(UTF_8), Map.of());
    }
  }

  @Test
  void theReasonOfAPlanInTheIndexIsTheSentenceOfTheSearch() {
    Object index = Json.parse(http("POST", "/v2/repository/index", "").body());

    assertThat((List<?>) index)
        .filteredOn(model -> Json.member(model, "name").equals("plan"))
        .singleElement()
        .satisfies(model -> {
          assertThat(Json.member(model, "state")).isEqualTo("UNAVAILABLE");
          assertThat(Json.member(model, "reason")).asString().endsWith(reasonForClients());
        });
    List<ModelIndex> models =
        grpc.repositoryIndex(RepositoryIndexRequest.getDefaultInstance()).getModelsList();
    assertThat(models)
        .filteredOn(model -> model.getName().equals("plan"))
        .singleElement()
        .satisfies(model -> {
          assertThat(model.getState()).isEqualTo("UNAVAILABLE");
          assertThat(model.getReason()).endsWith(reasonForClients());
        });
  }

  @Test
  void theOnnxModelServesBesideThePlansOverBothProtocols() throws IOException {
    String request = Files.readString(EXAMPLES.resolve("digits/held-out/000.json"));
    assertThat(
            Json.list(LocalServer.output(server.infer("digits", request), "probabilities"), "data"))
        .hasSize(10);

    var response =
        grpc.modelInfer(
            ModelInferRequest.newBuilder()
                .setModelName("digits")
                .addInputs(
                    InferInputTensor.newBuilder()
                        .setName("image")
                        .setDatatype("FP32")
                        .addAllShape(List.of(1L, 1L, 8L, 8L))
                        .setContents(
                            InferTensorContents.newBuilder()
                                .addAllFp32Contents(Collections.nCopies(PIXELS, 1f))))
                .build());
    assertThat(response.getRawOutputContents(0).size()).isEqualTo(10 * Float.BYTES);
  }

  @Test
  void thePlanIsNotReadyAndRejectsRequestsOverBothProtocols() {
    assertThat(http("GET", "/v2/models/digits/ready", "").status()).isEqualTo(200);
    assertThat(http("GET", "/v2/models/plan/ready", "").status()).isEqualTo(400);
    assertThat(grpc.modelReady(ModelReadyRequest.newBuilder().setName("plan").build()).getReady())
        .isFalse();

    String body =
        "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[1],\"data\":[1]}]}";
    assertThat(http("POST", "/v2/models/plan/infer", body).text()).contains("plan");
    assertThatThrownBy(
            () -> grpc.modelInfer(ModelInferRequest.newBuilder().setModelName("plan").build()))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            failure ->
                assertThat(failure.getStatus().getCode())
                    .isIn(Status.Code.UNAVAILABLE, Status.Code.NOT_FOUND));
  }

  @Test
  void theReportOfTheBackendIsLoggedOnceForAllItsModels() {
    assertThat(log.messages()).containsOnlyOnce("backend 'tensorrt' is unavailable: " + reason);
  }
}

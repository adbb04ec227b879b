package io.nereid.server.memory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.stub.StreamObserver;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.InferTensorContents;
import io.nereid.protocol.inference.MemoryUsage;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferRequest.InferInputTensor;
import io.nereid.protocol.inference.ModelInferResponse;
import io.nereid.protocol.inference.ModelStatisticsRequest;
import io.nereid.server.LocalServer;
import io.nereid.server.support.StreamEnd;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** In which memory a backend that has an allocator of its own finds its inputs. */
@Timeout(120)
class InputMemoryTest {
  private static final String CONFIG =
      """
      backend: "pinned"
      max_batch_size: 4
      input { name: "IN" data_type: TYPE_FP32 dims: [ 2 ] }
      output { name: "OUT" data_type: TYPE_FP32 dims: [ 2 ] }
      """;

  private static final String ENSEMBLE =
      """
      platform: "ensemble"
      max_batch_size: 4
      input { name: "IN" data_type: TYPE_FP32 dims: [ 2 ] }
      output { name: "OUT" data_type: TYPE_FP32 dims: [ 2 ] }
      ensemble_scheduling {
        step {
          model_name: "m" model_version: -1
          input_map { key: "IN" value: "IN" } output_map { key: "OUT" value: "T" }
        }
        step {
          model_name: "n" model_version: -1
          input_map { key: "IN" value: "T" } output_map { key: "OUT" value: "OUT" }
        }
      }
      """;

  private static final byte[] TWO_FLOATS = new byte[8];

  @TempDir private Path repository;
  private LocalServer server;

  @BeforeEach
  void start() throws IOException, InterruptedException {
    PinnedBackend.INPUTS.clear();
    ModelOnDisk.of(repository, "m", CONFIG);
    ModelOnDisk.of(repository, "n", CONFIG);
    ModelOnDisk.of(repository, "e", ENSEMBLE);
    ModelOnDisk.of(
        repository,
        "pairs",
        CONFIG
            + "dynamic_batching { preferred_batch_size: [ 2 ]"
            + " max_queue_delay_microseconds: 100000000 }");
    ModelOnDisk.of(
        repository,
        "warm",
        CONFIG
            + "model_warmup { name: \"s\" batch_size: 1 inputs { key: \"IN\" value {"
            + " data_type: TYPE_FP32 dims: [ 2 ] zero_data: true } } }");
    server = new LocalServer(repository);
    do { // until the model's allocator has returned in time, which a busy machine delays
      var _ = infer(raw("m"));
    } while (!nextIsOwn("m"));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static boolean nextIsOwn(String model) throws InterruptedException {
    Boolean own = PinnedBackend.inputs(model).poll(60, TimeUnit.SECONDS);
    assertThat(own).as("a batch of %s", model).isNotNull();
    return own;
  }

  private void post(byte[] body, String headerLength) {
    try (var wire = new HttpWire(server.http())) {
      Map<String, String> headers =
          headerLength.isEmpty()
              ? Map.of()
              : Map.of("Inference-Header-Content-Length", headerLength);
      HttpWire.Response response = wire.send("POST", "/v2/models/m/infer", body, headers);
      assertThat(response.status()).as(response.text()).isEqualTo(200);
    }
  }

  private static byte[] withData(String json) {
    byte[] head = json.getBytes(UTF_8);
    return Arrays.copyOf(head, head.length + TWO_FLOATS.length);
  }

  private static ModelInferRequest.Builder request(String model) {
    return ModelInferRequest.newBuilder().setModelName(model);
  }

  private static InferInputTensor.Builder input() {
    return InferInputTensor.newBuilder()
        .setName("IN")
        .setDatatype("FP32")
        .addAllShape(List.of(1L, 2L));
  }

  private static ModelInferRequest raw(String model) {
    return request(model)
        .addInputs(input())
        .addRawInputContents(ByteString.copyFrom(TWO_FLOATS))
        .build();
  }

  private ModelInferResponse infer(ModelInferRequest request) {
    return GRPCInferenceServiceGrpc.newBlockingStub(server.channel()).modelInfer(request);
  }

  @Test
  void numbersInJsonAreDecodedIntoTheModelsMemory() throws InterruptedException {
    server.infer(
        "m",
        "{\"inputs\":[{\"name\":\"IN\",\"datatype\":\"FP32\",\"shape\":[1,2],\"data\":[1,2]}]}");

    assertThat(nextIsOwn("m")).isTrue();
  }

  @Test
  void binaryDataOfAnHttpRequestIsReadIntoTheModelsMemory() throws InterruptedException {
    String json =
        "{\"inputs\":[{\"name\":\"IN\",\"datatype\":\"FP32\",\"shape\":[1,2],"
            + "\"parameters\":{\"binary_data_size\":8}}]}";

    post(withData(json), Integer.toString(json.length()));

    assertThat(nextIsOwn("m")).isTrue();
  }

  @Test
  void anHttpBodyWithoutJsonIsReadIntoTheModelsMemory() throws InterruptedException {
    post(TWO_FLOATS, "0");

    assertThat(nextIsOwn("m")).isTrue();
  }

  @Test
  void rawContentsOfAGrpcRequestAreCopiedIntoTheModelsMemory() throws InterruptedException {
    var _ = infer(raw("m"));

    assertThat(nextIsOwn("m")).isTrue();
  }

  @Test
  void typedContentsOfAGrpcRequestAreDecodedIntoTheModelsMemory() throws InterruptedException {
    var contents = InferTensorContents.newBuilder().addFp32Contents(1).addFp32Contents(2);
    var _ = infer(request("m").addInputs(input().setContents(contents)).build());

    assertThat(nextIsOwn("m")).isTrue();
  }

  @Test
  void requestsOfAStreamAreCopiedIntoTheModelsMemory() throws Exception {
    var end = new StreamEnd();
    StreamObserver<ModelInferRequest> stream =
        GRPCInferenceServiceGrpc.newStub(server.channel()).modelStreamInfer(end);
    stream.onNext(raw("m"));
    stream.onCompleted();

    assertThat(nextIsOwn("m")).isTrue();
    end.await();
  }

  @Test
  void requestsThatShareABatchAreGatheredInTheModelsMemory() throws InterruptedException {
    var stub = GRPCInferenceServiceGrpc.newFutureStub(server.channel());
    var first = stub.modelInfer(raw("pairs"));
    var second = stub.modelInfer(raw("pairs"));

    assertThat(first).succeedsWithin(60, TimeUnit.SECONDS);
    assertThat(second).succeedsWithin(60, TimeUnit.SECONDS);
    assertThat(nextIsOwn("pairs")).isTrue();
    assertThat(PinnedBackend.inputs("pairs")).isEmpty();
  }

  @Test
  void theWarmUpReadsItsSamplesInTheModelsMemory() throws InterruptedException {
    assertThat(nextIsOwn("warm")).isTrue();
  }

  @Test
  void anEnsemblesInputsAreInTheMemoryOfTheModelThatReadsThem() throws InterruptedException {
    var _ = infer(raw("e"));

    assertThat(nextIsOwn("m")).isTrue();
  }

  @Test
  void anOutputThatIsTheInputOfAStepIsPassedOnWithoutACopy() throws InterruptedException {
    var _ = infer(raw("e"));

    assertThat(nextIsOwn("n")).isFalse();
  }

  @Test
  void statisticsShowTheMemoryThatAModelReportsOverHttp() {
    var _ = infer(raw("m")); // so that the model's own memory is in use
    try (var wire = new HttpWire(server.http())) {
      Object usage = List.of();
      while (usage.equals(List.of())) { // which the server waits for a moment only
        Object stats =
            Json.parse(wire.send("GET", "/v2/models/m/stats", new byte[0], Map.of()).body());
        usage = Json.member(Json.list(stats, "model_stats").getFirst(), "memory_usage");
      }

      assertThat(usage.toString())
          .startsWith("[{type=GPU, id=1, byte_size=4096}, {type=CPU_PINNED, id=0, byte_size=")
          .doesNotContain("byte_size=0");
    }
  }

  @Test
  void statisticsShowTheMemoryThatAModelReportsOverGrpc() {
    List<MemoryUsage> usage = List.of();
    while (usage.isEmpty()) { // which the server waits for a moment only
      usage =
          GRPCInferenceServiceGrpc.newBlockingStub(server.channel())
              .modelStatistics(ModelStatisticsRequest.newBuilder().setName("m").build())
              .getModelStats(0)
              .getMemoryUsageList();
    }

    assertThat(usage.getFirst())
        .isEqualTo(MemoryUsage.newBuilder().setType("GPU").setId(1).setByteSize(4096).build());
    assertThat(usage.getLast().getType()).isEqualTo("CPU_PINNED");
  }
}

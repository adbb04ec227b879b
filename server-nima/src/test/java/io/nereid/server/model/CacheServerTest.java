package io.nereid.server.model;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.error.InferenceException;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferResponse;
import io.nereid.protocol.inference.ModelStatistics;
import io.nereid.protocol.inference.ModelStatisticsRequest;
import io.nereid.server.LocalServer;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Cached responses over both protocols: a hit has the bytes of the miss. */
@Timeout(120)
class CacheServerTest {
  private static final String CACHED = "response_cache { enable: true }\n";
  private static final String FP32 =
      "{\"name\":\"INPUT0\",\"datatype\":\"FP32\",\"shape\":[3],\"data\":[1,2.5,-3]}";

  @TempDir private Path repository;

  @SuppressWarnings("NullAway.Init") // by start()
  private LocalServer server;

  @AfterEach
  void stop() {
    if (server != null) {
      server.close();
    }
  }

  private void start(String... options) throws IOException {
    model("fp32", "FP32", CACHED);
    model("bytes", "STRING", CACHED);
    model("plain", "FP32", "");
    ModelOnDisk.of(
        repository,
        "pair",
        """
        platform: "ensemble"
        input { name: "A" data_type: TYPE_FP32 dims: [ -1 ] }
        output { name: "B" data_type: TYPE_FP32 dims: [ -1 ] }
        ensemble_scheduling {
          step { model_name: "plain" model_version: -1
            input_map { key: "INPUT0" value: "A" } output_map { key: "OUTPUT0" value: "B" } }
        }
        """
            + CACHED);
    server = new LocalServer(LocalServer.options(repository, options), new CheckedBufferPool());
  }

  private void startCached() throws IOException {
    start("--cache-config=local,size=1048576");
  }

  private void model(String name, String type, String more) {
    ModelOnDisk.of(
            repository,
            name,
            """
            backend: "tck_echo"
            input { name: "INPUT0" data_type: TYPE_%s dims: [ -1 ] }
            output { name: "OUTPUT0" data_type: TYPE_%s dims: [ -1 ] }
            """
                    .formatted(type, type)
                + more)
        .withDirectory("1");
  }

  private HttpWire.Response post(String model, String body) {
    try (var wire = new HttpWire(server.http())) {
      HttpWire.Response response =
          wire.send("POST", "/v2/models/" + model + "/infer", body.getBytes(UTF_8), Map.of());
      assertThat(response.status()).as(response.text()).isEqualTo(200);
      return response;
    }
  }

  private GRPCInferenceServiceBlockingStub stub() {
    return GRPCInferenceServiceGrpc.newBlockingStub(server.channel());
  }

  /** The statistics once there are so many successes: instances count after they respond. */
  private ModelStatistics statistics(String model, long successes) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (true) {
      ModelStatistics statistics =
          stub()
              .modelStatistics(ModelStatisticsRequest.newBuilder().setName(model).build())
              .getModelStats(0);
      if (statistics.getInferenceStats().getSuccess().getCount() == successes) {
        return statistics;
      }
      assertThat(System.nanoTime() - deadline).as("%s", statistics).isNegative();
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** Of two requests the first was executed, and the second was not. */
  private void assertOneHit(String model) {
    ModelStatistics statistics = statistics(model, 2);
    var inferences = statistics.getInferenceStats();
    assertThat(inferences.getCacheHit().getCount()).isEqualTo(1);
    assertThat(inferences.getCacheHit().getNs()).isPositive();
    assertThat(inferences.getCacheMiss().getCount()).isEqualTo(1);
    assertThat(inferences.getCacheMiss().getNs()).isPositive();
    assertThat(inferences.getQueue().getCount()).isEqualTo(2);
    assertThat(inferences.getComputeInput().getCount()).isEqualTo(1);
    assertThat(inferences.getComputeInfer().getCount()).isEqualTo(1);
    assertThat(inferences.getComputeOutput().getCount()).isEqualTo(1);
    assertThat(inferences.getFail().getCount()).isZero();
    assertThat(statistics.getInferenceCount()).isEqualTo(1);
    assertThat(statistics.getExecutionCount()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "fp32; {\"id\":\"a\",\"inputs\":[" + FP32 + "]}",
        "fp32; {\"inputs\":[" + FP32 + "],\"parameters\":{\"binary_data_output\":true}}",
        "fp32; {\"inputs\":[" + FP32 + "],\"parameters\":{\"t\":\"x\",\"n\":7,\"b\":true}}",
        "fp32; {\"inputs\":[{\"name\":\"INPUT0\",\"datatype\":\"FP32\",\"shape\":[0],\"data\":[]}]}",
        "bytes; {\"inputs\":[{\"name\":\"INPUT0\",\"datatype\":\"BYTES\",\"shape\":[3],"
            + "\"data\":[\"\",\"Ü\",\"a longer text\"]}]}",
        "bytes; {\"inputs\":[{\"name\":\"INPUT0\",\"datatype\":\"BYTES\",\"shape\":[0],\"data\":[]}]}"
      })
  void aHitOverHttpHasTheBytesOfTheMiss(String model, String body) throws IOException {
    startCached();
    HttpWire.Response miss = post(model, body);

    HttpWire.Response hit = post(model, body);

    assertThat(hit.body()).isEqualTo(miss.body());
    assertThat(hit.header("Content-Type")).isEqualTo(miss.header("Content-Type"));
    assertOneHit(model);
  }

  @Test
  void aHitOverGrpcHasTheBytesOfTheMiss() throws IOException {
    startCached();
    var request =
        ModelInferRequest.newBuilder()
            .setModelName("fp32")
            .setId("a")
            .putParameters("n", InferParameter.newBuilder().setInt64Param(7).build())
            .putParameters("d", InferParameter.newBuilder().setDoubleParam(0.5).build())
            .addInputs(
                ModelInferRequest.InferInputTensor.newBuilder()
                    .setName("INPUT0")
                    .setDatatype("FP32")
                    .addShape(2))
            .addRawInputContents(ByteString.copyFrom(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}))
            .build();
    ModelInferResponse miss = stub().modelInfer(request);

    ModelInferResponse hit = stub().modelInfer(request);

    assertThat(hit).isEqualTo(miss);
    assertThat(hit.getParametersMap()).containsOnlyKeys("n", "d");
    assertOneHit("fp32");
  }

  @Test
  void aResponseCachedOverOneProtocolIsAHitOverTheOther() throws IOException {
    startCached();
    post("fp32", "{\"inputs\":[" + FP32 + "]}");
    var request =
        ModelInferRequest.newBuilder()
            .setModelName("fp32")
            .setId("grpc")
            .addInputs(
                ModelInferRequest.InferInputTensor.newBuilder()
                    .setName("INPUT0")
                    .setDatatype("FP32")
                    .addShape(3)
                    .setContents(
                        io.nereid.protocol.inference.InferTensorContents.newBuilder()
                            .addFp32Contents(1)
                            .addFp32Contents(2.5f)
                            .addFp32Contents(-3)))
            .build();

    ModelInferResponse hit = stub().modelInfer(request);

    assertThat(hit.getId()).isEqualTo("grpc");
    assertThat(hit.getRawOutputContents(0).size()).isEqualTo(12);
    assertOneHit("fp32");
  }

  @Test
  void aHitIsEncodedAndClassifiedAsItsRequestAsks() throws IOException {
    startCached();
    post("fp32", "{\"inputs\":[" + FP32 + "]}");
    String wanted = "{\"inputs\":[" + FP32 + "],\"outputs\":[{\"name\":\"OUTPUT0\"%s}]}";

    HttpWire.Response binary =
        post("fp32", wanted.formatted(",\"parameters\":{\"binary_data\":true}"));
    HttpWire.Response classes =
        post("fp32", wanted.formatted(",\"parameters\":{\"classification\":1}"));

    assertThat(binary.header("Inference-Header-Content-Length")).isNotEmpty();
    assertThat(classes.text()).contains("\"datatype\":\"BYTES\"").contains("2.500000:1");
    assertThat(statistics("fp32", 3).getInferenceStats().getCacheHit().getCount()).isEqualTo(2);
  }

  @Test
  void aHitOfAnEnsembleHasTheBytesOfTheMiss() throws IOException {
    startCached();
    String body =
        "{\"inputs\":[{\"name\":\"A\",\"datatype\":\"FP32\",\"shape\":[2],\"data\":[1,2]}]}";
    HttpWire.Response miss = post("pair", body);

    HttpWire.Response hit = post("pair", body);

    assertThat(hit.body()).isEqualTo(miss.body());
    assertOneHit("pair");
    assertThat(statistics("plain", 1).getInferenceStats().getCacheMiss().getCount()).isZero();
  }

  private String page() {
    try (var wire = new HttpWire(server.metrics())) {
      return wire.send("GET", "/metrics", new byte[0], Map.of()).text();
    }
  }

  @Test
  void metricsShowTheCacheAndTheModelsThatUseIt() throws IOException {
    start(
        "--cache-config=local,size=1048576",
        "--allow-metrics=true",
        "--metrics-port=0",
        "--metrics-config=summary_latencies=true");
    post("fp32", "{\"inputs\":[" + FP32 + "]}");
    post("fp32", "{\"inputs\":[" + FP32 + "]}");
    statistics("fp32", 2);

    assertThat(page())
        .contains("\nnv_cache_num_hits_per_model{model=\"fp32\",version=\"1\"} 1\n")
        .contains("\nnv_cache_num_misses_per_model{model=\"fp32\",version=\"1\"} 1\n")
        .contains("\nnv_cache_hit_duration_per_model{model=\"fp32\",version=\"1\"} ")
        .contains("\nnv_cache_hit_summary_per_model_count{model=\"fp32\",version=\"1\"} 1\n")
        .contains("\nnv_inference_request_success{model=\"fp32\",version=\"1\"} 2\n")
        .contains("\nnv_inference_count{model=\"fp32\",version=\"1\"} 1\n")
        .contains("\nnv_cache_num_entries 1\n")
        .contains("\nnv_cache_num_hits 1\n")
        .contains("\nnv_cache_num_lookups 2\n")
        .contains("\nnereid_pool_outstanding_leases 0\n")
        .doesNotContain("nv_cache_num_hits_per_model{model=\"plain\"");
  }

  private void control(String model, String operation) {
    try (var wire = new HttpWire(server.http())) {
      HttpWire.Response response =
          wire.send(
              "POST",
              "/v2/repository/models/%s/%s".formatted(model, operation),
              new byte[0],
              Map.of());
      assertThat(response.status()).as(response.text()).isEqualTo(200);
    }
  }

  @Test
  void aModelThatIsUnloadedLeavesNoEntries() throws IOException {
    start(
        "--cache-config=local,size=1048576",
        "--allow-metrics=true",
        "--metrics-port=0",
        "--model-control-mode=explicit",
        "--load-model=*");
    String body = "{\"inputs\":[" + FP32 + "]}";
    post("fp32", body);
    assertThat(page()).contains("\nnv_cache_num_entries 1\n");

    control("fp32", "unload");

    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!page().contains("\nnv_cache_num_entries 0\n")) { // unloading ends in the background
      assertThat(System.nanoTime() - deadline).as(page()).isNegative();
      LockSupport.parkNanos(1_000_000);
    }
    control("fp32", "load");
    post("fp32", body);
    assertThat(statistics("fp32", 1).getExecutionCount()).isEqualTo(1);
  }

  @Test
  void withoutACacheModelsExecuteAndHaveTheirMetrics() throws IOException {
    start("--allow-metrics=true", "--metrics-port=0");
    post("fp32", "{\"inputs\":[" + FP32 + "]}");
    post("fp32", "{\"inputs\":[" + FP32 + "]}");

    ModelStatistics statistics = statistics("fp32", 2);

    assertThat(statistics.getExecutionCount()).isEqualTo(2);
    assertThat(statistics.getInferenceStats().getCacheMiss().getCount()).isZero();
    assertThat(page())
        .contains("\nnv_cache_num_hits_per_model{model=\"fp32\",version=\"1\"} 0\n")
        .contains("\nnv_cache_num_misses_per_model{model=\"fp32\",version=\"1\"} 0\n")
        .doesNotContain("nv_cache_num_entries");
  }

  @Test
  void doesNotStartWithTwoCaches() {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> start("--cache-config=local,size=1024", "--cache-config=redis,host=x"))
        .withMessage(
            "found multiple cache configurations, but only a single cache is currently supported");
  }
}

package io.nereid.server.backend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.stub.StreamObserver;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.engine.model.control.lifecycle.HostileBackend;
import io.nereid.engine.model.control.lifecycle.HostileBackend.Plan;
import io.nereid.engine.model.control.lifecycle.SpiCall;
import io.nereid.engine.model.control.lifecycle.SpiCall.Deed;
import io.nereid.engine.model.control.lifecycle.SpiCall.When;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferResponse;
import io.nereid.protocol.inference.ServerLiveRequest;
import io.nereid.protocol.inference.ServerReadyRequest;
import io.nereid.server.LocalServer;
import io.nereid.tck.support.HttpWire;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What clients of other models see, over both protocols, while a call of a backend hangs. */
@Timeout(120)
class HostileBackendTest {
  private static final String TENSORS =
      """
      max_batch_size: 0
      input { name: "INPUT0" data_type: TYPE_FP32 dims: 1 }
      output { name: "OUTPUT0" data_type: TYPE_FP32 dims: 1 }
      """;

  private static final String GOOD = "backend: \"tck_echo\"\n" + TENSORS;

  private static final String BODY =
      """
      {"inputs": [{"name": "INPUT0", "datatype": "FP32", "shape": [1], "data": [7]}]}
      """;

  @TempDir private static Path repository;
  private static LocalServer server;

  @BeforeAll
  static void start() throws Exception {
    ModelOnDisk.of(repository, "good", GOOD);
    ModelOnDisk.of(repository, "other", GOOD);
    server =
        new LocalServer(
            LocalServer.options(repository, "--model-control-mode=explicit", "--load-model=good"),
            new CheckedBufferPool());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @AfterEach
  void behaveAgain() {
    HostileBackend.plan(null);
  }

  private static final Set<When> ELSEWHERE =
      EnumSet.of(When.STOP, When.BATCHING, When.MEMORY, When.DEVICE);

  /** All but those of which {@link io.nereid.server.hostile.BadBackendsTest} alone makes use. */
  static Stream<Arguments> calls() {
    return Arrays.stream(SpiCall.values())
        .filter(call -> !ELSEWHERE.contains(call.when()))
        .map(Arguments::of);
  }

  private static String name(SpiCall call) {
    return "bad_" + call.name().toLowerCase(Locale.ROOT);
  }

  private static HttpWire.Response http(String method, String path, String body) {
    try (var wire = new HttpWire(server.http())) {
      return wire.send(method, path, body.getBytes(UTF_8), Map.of());
    }
  }

  private static int status(String method, String path, String body) {
    return http(method, path, body).status();
  }

  private static ModelInferRequest request(String model) {
    var bytes = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putFloat(7).flip();
    return ModelInferRequest.newBuilder()
        .setModelName(model)
        .addInputs(
            ModelInferRequest.InferInputTensor.newBuilder()
                .setName("INPUT0")
                .setDatatype("FP32")
                .addShape(1))
        .addRawInputContents(ByteString.copyFrom(bytes))
        .build();
  }

  @ParameterizedTest
  @MethodSource("calls")
  void whileACallHangsOthersHaveTheirAnswers(SpiCall call) throws Exception {
    String bad = name(call);
    boolean isPipelined = call == SpiCall.DEPTH || call.when() == When.PIPELINE;
    ModelOnDisk.of(
        repository,
        bad,
        "backend: \"hostile\"\n"
            + TENSORS
            + (isPipelined
                ? "parameters { key: \"pipelined\" value { string_value: \"\" } }"
                : ""));
    Plan plan = Plan.of(call, Deed.DOES_NOT_RETURN);
    CompletableFuture<?> held;
    if (call.when() == When.LOAD) {
      HostileBackend.plan(plan);
      held = load(bad);
    } else {
      load(bad).get(60, TimeUnit.SECONDS);
      HostileBackend.plan(plan);
      held = reach(call, bad);
    }
    try {
      assertThat(plan.reached().await(60, TimeUnit.SECONDS)).isTrue();

      assertOthersAreServed();
    } finally {
      plan.gate().countDown();
    }
    HostileBackend.plan(null);
    held.get(60, TimeUnit.SECONDS);
    assertThat(status("POST", "/v2/repository/models/" + bad + "/unload", "")).isEqualTo(200);
  }

  private static CompletableFuture<Integer> load(String model) {
    return CompletableFuture.supplyAsync(
        () -> status("POST", "/v2/repository/models/" + model + "/load", ""));
  }

  /** Has the server make the call for a model that is loaded. */
  private static CompletableFuture<?> reach(SpiCall call, String model) {
    return switch (call.when()) {
      case ASKED ->
          CompletableFuture.supplyAsync(() ->
              status(
                  "GET",
                  "/v2/models/" + model + (call == SpiCall.HEALTHY ? "/ready" : "/stats"),
                  ""));
      case UNLOAD ->
          CompletableFuture.supplyAsync(
              () -> status("POST", "/v2/repository/models/" + model + "/unload", ""));
      default -> {
        var answered = new CompletableFuture<Boolean>();
        GRPCInferenceServiceGrpc.newStub(server.channel())
            .modelInfer(request(model), new Answered(answered));
        yield answered;
      }
    };
  }

  /** Completes once there is an answer, whatever it is. */
  private record Answered(CompletableFuture<Boolean> answered)
      implements StreamObserver<ModelInferResponse> {
    @Override
    public void onNext(ModelInferResponse response) {}

    @Override
    public void onError(Throwable failure) {
      answered.complete(false);
    }

    @Override
    public void onCompleted() {
      answered.complete(true);
    }
  }

  private static void assertOthersAreServed() {
    assertThat(status("GET", "/v2/health/live", "")).isEqualTo(200);
    assertThat(status("GET", "/v2/health/ready", "")).isIn(200, 400, 503);
    assertThat(status("GET", "/v2/models/good/ready", "")).isEqualTo(200);
    assertThat(status("POST", "/v2/models/good/infer", BODY)).isEqualTo(200);
    HttpWire.Response statistics = http("GET", "/v2/models/stats", "");
    assertThat(statistics.status()).isEqualTo(200);
    assertThat(statistics.text()).contains("\"name\":\"good\"");
    assertThat(status("POST", "/v2/repository/models/other/load", "")).isEqualTo(200);
    assertThat(status("POST", "/v2/repository/models/other/unload", "")).isEqualTo(200);
    var calls =
        GRPCInferenceServiceGrpc.newBlockingStub(server.channel())
            .withDeadlineAfter(60, TimeUnit.SECONDS);
    assertThat(calls.serverLive(ServerLiveRequest.getDefaultInstance()).getLive()).isTrue();
    boolean _ = calls.serverReady(ServerReadyRequest.getDefaultInstance()).getReady();
    assertThat(calls.modelInfer(request("good")).getModelName()).isEqualTo("good");
  }
}

package io.nereid.server.backend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferRequest.InferInputTensor;
import io.nereid.protocol.inference.ModelInferResponse;
import io.nereid.protocol.inference.ModelStreamInferResponse;
import io.nereid.server.LocalServer;
import io.nereid.server.options.ServerOptions;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What clients get when a backend gives an output that the model does not declare like that. */
@Timeout(120)
class WrongOutputsTest {
  private static final String ENSEMBLE =
      """
      platform: "ensemble"
      max_batch_size: 8
      input { name: "IN" data_type: TYPE_INT32 dims: [ 2 ] }
      output { name: "OUT" data_type: TYPE_INT32 dims: [ 2 ] }
      ensemble_scheduling {
        step {
          model_name: "lies" model_version: -1
          input_map { key: "IN" value: "IN" } output_map { key: "OUT" value: "MIDDLE" }
        }
        step {
          model_name: "lies" model_version: -1
          input_map { key: "IN" value: "MIDDLE" } output_map { key: "OUT" value: "OUT" }
        }
      }
      """;

  @TempDir private Path repository;
  private LocalServer server;

  @BeforeEach
  void start() throws IOException {
    ModelOnDisk.of(repository, "lies", LyingBackend.SIGNATURE);
    ModelOnDisk.of(
        repository,
        "streams",
        LyingBackend.SIGNATURE + "model_transaction_policy { decoupled: true }");
    ModelOnDisk.of(
        repository,
        "pairs",
        LyingBackend.SIGNATURE
            + "dynamic_batching { preferred_batch_size: [ 2 ]"
            + " max_queue_delay_microseconds: 100000000 }");
    ModelOnDisk.of(repository, "steps", ENSEMBLE);
    server = new LocalServer(repository);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static String sentence(String model, Lie lie) {
    return "backend 'lying', model '%s', version 1, %s".formatted(model, lie.sentence());
  }

  private HttpWire.Response post(String model, String parameters) {
    String body =
        ("{\"parameters\":{%s},\"inputs\":[{\"name\":\"IN\",\"datatype\":\"INT32\",\"shape\":[1,2],"
                + "\"data\":[5,6]}]}")
            .formatted(parameters);
    try (var wire = new HttpWire(server.http())) {
      return wire.send("POST", "/v2/models/" + model + "/infer", body.getBytes(UTF_8), Map.of());
    }
  }

  private static ModelInferRequest.Builder request(String model) {
    return ModelInferRequest.newBuilder()
        .setModelName(model)
        .addInputs(
            InferInputTensor.newBuilder()
                .setName("IN")
                .setDatatype("INT32")
                .addAllShape(List.of(1L, 2L)))
        .addRawInputContents(ByteString.copyFrom(new byte[] {5, 0, 0, 0, 6, 0, 0, 0}));
  }

  private static ModelInferRequest lying(String model, Lie lie) {
    return request(model)
        .putParameters("lie", InferParameter.newBuilder().setStringParam(lie.name()).build())
        .build();
  }

  private Status failureOf(ModelInferRequest request) {
    var stub = GRPCInferenceServiceGrpc.newBlockingStub(server.channel());
    var failed = catchThrowableOfType(StatusRuntimeException.class, () -> stub.modelInfer(request));
    assertThat(failed).isNotNull();
    return failed.getStatus();
  }

  @ParameterizedTest
  @EnumSource
  void failsTheRequestOverHttp(Lie lie) {
    HttpWire.Response wrong = post("lies", "\"lie\":\"" + lie + "\"");

    assertThat(wrong.text()).contains("\"error\"").contains(sentence("lies", lie));
    assertThat(wrong.status()).isEqualTo(500);
    assertThat(post("lies", "").text()).contains("\"data\":[5,6]");
  }

  @ParameterizedTest
  @EnumSource
  void failsTheRequestOverGrpc(Lie lie) {
    Status wrong = failureOf(lying("lies", lie));

    assertThat(wrong.getDescription()).startsWith(sentence("lies", lie));
    assertThat(wrong.getCode()).isEqualTo(Status.Code.INTERNAL);
  }

  @ParameterizedTest
  @EnumSource
  void failsTheRequestOfADecoupledModel(Lie lie) {
    var answer = new CompletableFuture<ModelStreamInferResponse>();
    StreamObserver<ModelInferRequest> stream =
        GRPCInferenceServiceGrpc.newStub(server.channel())
            .modelStreamInfer(
                new StreamObserver<>() {
                  @Override
                  public void onNext(ModelStreamInferResponse response) {
                    answer.complete(response);
                  }

                  @Override
                  public void onError(Throwable failure) {
                    answer.completeExceptionally(failure);
                  }

                  @Override
                  public void onCompleted() {}
                });
    stream.onNext(lying("streams", lie));

    assertThat(answer)
        .succeedsWithin(60, TimeUnit.SECONDS)
        .extracting(ModelStreamInferResponse::getErrorMessage)
        .asString()
        .startsWith(sentence("streams", lie));
    stream.onCompleted();
  }

  @ParameterizedTest
  @EnumSource
  void doesNotAffectTheOtherRequestOfTheBatch(Lie lie) throws Exception {
    var stub = GRPCInferenceServiceGrpc.newFutureStub(server.channel());
    var wrong = stub.modelInfer(lying("pairs", lie));
    var right = stub.modelInfer(request("pairs").build());

    ModelInferResponse response = right.get(60, TimeUnit.SECONDS);
    assertThat(response.getRawOutputContents(0).toByteArray())
        .containsExactly(5, 0, 0, 0, 6, 0, 0, 0);
    var failed = catchThrowableOfType(ExecutionException.class, wrong::get);
    assertThat(failed).hasMessageContaining(sentence("pairs", lie));
  }

  @Test
  void namesTheModelOfTheStepThatFails() {
    Status wrong = failureOf(lying("steps", Lie.ROWS));

    assertThat(wrong.getDescription())
        .isEqualTo("in ensemble 'steps', " + sentence("lies", Lie.ROWS));
  }

  @Test
  void outputMemoryThatIsNotWrittenIsZero() {
    assertThat(post("lies", "\"silent\":true").text()).contains("\"data\":[0,0]");
    ModelInferResponse response =
        GRPCInferenceServiceGrpc.newBlockingStub(server.channel())
            .modelInfer(
                request("lies")
                    .putParameters("silent", InferParameter.newBuilder().setBoolParam(true).build())
                    .build());
    assertThat(response.getRawOutputContents(0).toByteArray()).containsOnly(0);
  }

  @Test
  void aModelWhoseWarmUpMeetsAWrongOutputDoesNotLoad() {
    ModelOnDisk.of(
        repository,
        "warm",
        LyingBackend.SIGNATURE
            + """
            model_warmup { name: "zeros" batch_size: 1
              inputs { key: "IN" value { data_type: TYPE_INT32 dims: [ 2 ] zero_data: true } } }
            """);
    var options = LocalServer.options(repository, "--exit-on-error=false");
    try (var other = startedWith(options);
        var wire = new HttpWire(other.http())) {
      HttpWire.Response index =
          wire.send("POST", "/v2/repository/index", "{}".getBytes(UTF_8), Map.of());

      assertThat(index.text())
          .contains("failed to run warmup sample 'zeros': " + sentence("warm", Lie.ROWS));
    }
  }

  private static LocalServer startedWith(ServerOptions options) {
    try {
      return new LocalServer(options, new CheckedBufferPool());
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}

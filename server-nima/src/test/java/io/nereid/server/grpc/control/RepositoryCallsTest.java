package io.nereid.server.grpc.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.model.control.FakeModelControl;
import io.nereid.engine.model.control.FakeModelControl.Call;
import io.nereid.engine.model.control.LoadParameters;
import io.nereid.engine.model.control.ModelIndexEntry;
import io.nereid.error.InferenceException;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub;
import io.nereid.protocol.inference.ModelRepositoryParameter;
import io.nereid.protocol.inference.RepositoryIndexRequest;
import io.nereid.protocol.inference.RepositoryIndexResponse.ModelIndex;
import io.nereid.protocol.inference.RepositoryModelLoadRequest;
import io.nereid.protocol.inference.RepositoryModelUnloadRequest;
import io.nereid.protocol.inference.ServerLiveRequest;
import io.nereid.server.frontend.TestServices;
import io.nereid.server.grpc.GrpcSettings;
import io.nereid.server.grpc.GrpcTransport;
import io.nereid.server.grpc.HeldLoad;
import io.nereid.server.security.ListenerSecurity;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class RepositoryCallsTest {
  private static final ClientKey CLIENT = new ClientKey("127.0.0.1");

  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final RequestMemory requestMemory = new RequestMemory(1L << 30, 1L << 30);
  private final FakeModelControl models = new FakeModelControl();
  private final GrpcTransport server;
  private final ManagedChannel channel;
  private final GRPCInferenceServiceBlockingStub calls;

  RepositoryCallsTest() throws IOException {
    server =
        GrpcTransport.of(
                GrpcSettings.of("127.0.0.1", 0),
                ListenerSecurity.NONE,
                TestServices.of(models, pool, requestMemory))
            .start();
    channel = ManagedChannelBuilder.forAddress("127.0.0.1", server.port()).usePlaintext().build();
    calls = GRPCInferenceServiceGrpc.newBlockingStub(channel);
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.stop(Duration.ofSeconds(30));
  }

  private static ModelRepositoryParameter bool(boolean value) {
    return ModelRepositoryParameter.newBuilder().setBoolParam(value).build();
  }

  private static ModelRepositoryParameter string(String value) {
    return ModelRepositoryParameter.newBuilder().setStringParam(value).build();
  }

  private static ModelRepositoryParameter bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return ModelRepositoryParameter.newBuilder().setBytesParam(ByteString.copyFrom(bytes)).build();
  }

  private void load(String model, Map<String, ModelRepositoryParameter> parameters) {
    var _ =
        calls.repositoryModelLoad(
            RepositoryModelLoadRequest.newBuilder()
                .setModelName(model)
                .putAllParameters(parameters)
                .build());
  }

  private void unload(String model, Map<String, ModelRepositoryParameter> parameters) {
    var _ =
        calls.repositoryModelUnload(
            RepositoryModelUnloadRequest.newBuilder()
                .setModelName(model)
                .putAllParameters(parameters)
                .build());
  }

  private static void assertRejected(Status.Code code, String text, Runnable call) {
    var thrown = catchThrowableOfType(StatusRuntimeException.class, call::run);
    assertThat(thrown).isNotNull();
    assertThat(thrown.getStatus().getDescription()).isEqualTo(text);
    assertThat(thrown.getStatus().getCode()).isEqualTo(code);
  }

  @Test
  void listsTheModelsOfAllRepositories() {
    var unavailable = Optional.of(ModelIndexEntry.State.UNAVAILABLE);
    models.setIndex(
        new ModelIndexEntry("a", OptionalLong.empty(), Optional.empty(), ""),
        new ModelIndexEntry("b", OptionalLong.of(3), unavailable, "unloaded"));

    var response = calls.repositoryIndex(RepositoryIndexRequest.getDefaultInstance());

    assertThat(response.getModelsList())
        .containsExactly(
            ModelIndex.newBuilder().setName("a").build(),
            ModelIndex.newBuilder()
                .setName("b")
                .setVersion("3")
                .setState("UNAVAILABLE")
                .setReason("unloaded")
                .build());
  }

  @Test
  void listsReadyModelsOnly() {
    var _ = calls.repositoryIndex(RepositoryIndexRequest.newBuilder().setReady(true).build());

    assertThat(models.calls()).containsExactly(new Call.Index(true));
  }

  @Test
  void loadsAModelWithItsParameters() {
    load("a/b", Map.of());
    load("m", Map.of("config", string("{}"), "file:1/f", bytes(1, 2)));

    assertThat(models.calls())
        .containsExactly(
            new Call.Load("a/b", LoadParameters.NONE.of(CLIENT)),
            new Call.Load(
                "m",
                new LoadParameters(
                        Optional.of("{}"), Map.of("1/f", ByteBuffer.wrap(new byte[] {1, 2})))
                    .of(CLIENT)));
  }

  @Test
  void unloadsAModelAndItsDependents() {
    unload("m", Map.of("other", string("ignored")));
    unload("m", Map.of("unload_dependents", bool(false)));
    unload("m", Map.of("unload_dependents", bool(true)));

    assertThat(models.calls())
        .containsExactly(
            new Call.Unload("m", false), new Call.Unload("m", false), new Call.Unload("m", true));
  }

  @Test
  void rejectsParametersOfAnotherKind() {
    assertRejected(
        Status.Code.INVALID_ARGUMENT,
        "invalid value type for load parameter 'config', expected string_param.",
        () -> load("m", Map.of("config", bytes(1))));
    assertRejected(
        Status.Code.INVALID_ARGUMENT,
        "invalid value type for load parameter 'file:1/f', expected bytes_param.",
        () -> load("m", Map.of("file:1/f", string("x"))));
    assertRejected(
        Status.Code.INVALID_ARGUMENT,
        "unrecognized load parameter 'other'.",
        () -> load("m", Map.of("other", string("x"))));
    assertRejected(
        Status.Code.INVALID_ARGUMENT,
        "invalid value type for 'unload_dependents' parameter, expected bool_param.",
        () -> unload("m", Map.of("unload_dependents", string("true"))));
    assertThat(models.calls()).isEmpty();
  }

  @Test
  void rejectsTheNameOfARepository() {
    String text = "'repository_name' specification is not supported";
    var index = RepositoryIndexRequest.newBuilder().setRepositoryName("r").build();
    var load = RepositoryModelLoadRequest.newBuilder().setRepositoryName("r").build();
    var unload = RepositoryModelUnloadRequest.newBuilder().setRepositoryName("r").build();

    assertRejected(Status.Code.UNIMPLEMENTED, text, () -> calls.repositoryIndex(index));
    assertRejected(Status.Code.UNIMPLEMENTED, text, () -> calls.repositoryModelLoad(load));
    assertRejected(Status.Code.UNIMPLEMENTED, text, () -> calls.repositoryModelUnload(unload));
    assertThat(models.calls()).isEmpty();
  }

  @Test
  void respondsWithTheFailureOfALoad() {
    models.setWhileLoading(() -> {
      throw InferenceException.unavailable("not now");
    });

    assertRejected(Status.Code.UNAVAILABLE, "not now", () -> load("m", Map.of()));
  }

  @Test
  void respondsToALoadThatFailsByABug() {
    models.setWhileLoading(() -> {
      throw new LinkageError("a bug");
    });

    assertRejected(
        Status.Code.INTERNAL,
        "unexpected failure: java.lang.LinkageError: a bug",
        () -> load("m", Map.of()));
  }

  /** A load that waits until a test lets it end. */
  private final class HeldLoad {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    HeldLoad() {
      models.setWhileLoading(() -> {
        begun.countDown();
        ended.orTimeout(50, TimeUnit.SECONDS).join();
      });
    }

    void awaitBegun() throws InterruptedException {
      assertThat(begun.await(50, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void servesOthersOnTheConnectionWhileAModelLoads() throws InterruptedException {
    var held = new HeldLoad();
    var loading = CompletableFuture.runAsync(() -> load("m", Map.of()));
    held.awaitBegun();

    assertThat(calls.serverLive(ServerLiveRequest.getDefaultInstance()).getLive()).isTrue();
    assertThat(loading).isNotDone();
    held.ended.complete(null);

    loading.join();
  }

  @Test
  void dropsTheResponseOfACallThatHasEnded() throws InterruptedException {
    var held = new HeldLoad();
    var loading =
        GRPCInferenceServiceGrpc.newFutureStub(channel)
            .repositoryModelLoad(RepositoryModelLoadRequest.getDefaultInstance());
    held.awaitBegun();
    assertThat(loading.cancel(true)).isTrue();
    held.ended.complete(null);

    assertThat(calls.serverLive(ServerLiveRequest.getDefaultInstance()).getLive()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 50})
  void cancelsALoadThatOutlastsTheStop(int graceMillis) throws InterruptedException {
    var held = new HeldLoad();
    var loading =
        CompletableFuture.runAsync(() -> {
          assertRejected(
              Status.Code.UNAVAILABLE,
              "the server stops, and the call has not ended within the exit timeout",
              () -> load("m", Map.of()));
        });
    held.awaitBegun();

    assertThat(server.stop(Duration.ofMillis(graceMillis))).isFalse();
    loading.join();
    held.ended.complete(null);
  }
}

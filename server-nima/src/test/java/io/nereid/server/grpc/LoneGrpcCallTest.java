package io.nereid.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.nereid.engine.call.ScriptedBackend;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferResponse;
import io.nereid.protocol.inference.ServerReadyRequest;
import io.nereid.server.LocalServer;
import io.nereid.spi.Batch;
import io.nereid.spi.Results;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Where calls are executed that are, or are not, the only ones of their event loop. */
@Timeout(120)
class LoneGrpcCallTest {
  private static final String MODEL =
      """
      backend: "scripted"
      input { name: "IN" data_type: TYPE_UINT8 dims: [ -1 ] }
      output { name: "OUT" data_type: TYPE_UINT8 dims: [ -1 ] }
      instance_group { count: 1 kind: KIND_CPU }
      """;

  private static final String ANY_THREAD =
      MODEL + "parameters { key: \"any_thread\" value { string_value: \"yes\" } }";

  private static final String BOUNDED =
      ANY_THREAD + "parameters { key: \"bounded_time\" value { string_value: \"yes\" } }";

  private static final String EVENT_LOOP = "grpc event loop";

  private volatile CountDownLatch begun = new CountDownLatch(1);
  private volatile CountDownLatch released = new CountDownLatch(1);
  private volatile String thread = "";
  private LocalServer server;

  @BeforeEach
  void start(@TempDir Path repository) throws IOException {
    ModelOnDisk.of(repository, "short", BOUNDED);
    ScriptedBackend.script("short", this::execute);
    ModelOnDisk.of(repository, "own", MODEL);
    ScriptedBackend.script("own", this::execute);
    ModelOnDisk.of(repository, "unbounded", ANY_THREAD);
    ScriptedBackend.script("unbounded", this::execute);
    ModelOnDisk.of(repository, "held", ANY_THREAD);
    ScriptedBackend.script(
        "held",
        (batch, results) -> {
          begun.countDown();
          released.await();
          execute(batch, results);
        });
    server = new LocalServer(LocalServer.options(repository), new CheckedBufferPool());
  }

  @AfterEach
  void stop() {
    released.countDown();
    server.close();
    ScriptedBackend.clear();
  }

  private void execute(Batch batch, Results results) {
    thread = Thread.currentThread().getName();
    Tensor in = batch.input(0, "IN").orElseThrow();
    results.allocate(0, "OUT", in.dataType(), in.shape(), in.data().byteSize()).copyFrom(in.data());
  }

  private ListenableFuture<ModelInferResponse> send(String model, String content) {
    return GRPCInferenceServiceGrpc.newFutureStub(server.channel())
        .modelInfer(request(model, content));
  }

  private static ModelInferRequest request(String model, String content) {
    return ModelInferRequest.newBuilder()
        .setModelName(model)
        .addInputs(
            ModelInferRequest.InferInputTensor.newBuilder()
                .setName("IN")
                .setDatatype("UINT8")
                .addShape(content.length()))
        .addRawInputContents(ByteString.copyFromUtf8(content))
        .build();
  }

  /** Calls a model, and returns the thread that has executed the request. */
  private String call(String model) throws Exception {
    return call(model, "x");
  }

  private String call(String model, String content) throws Exception {
    ModelInferResponse response = send(model, content).get(60, TimeUnit.SECONDS);
    assertThat(response.getRawOutputContents(0).toStringUtf8()).isEqualTo(content);
    return thread;
  }

  /** Whether the event loop ever executes; a busy machine may make executions long. */
  private void awaitEventLoop() throws Exception {
    String name;
    do {
      name = call("short");
    } while (!name.startsWith(EVENT_LOOP));
  }

  @Test
  void theOnlyCallOfAnEventLoopIsExecutedByIt() throws Exception {
    awaitEventLoop();
  }

  @Test
  void aCallBesideAnotherOneIsExecutedByTheInstance() throws Exception {
    awaitEventLoop();
    ListenableFuture<ModelInferResponse> other = send("held", "x");
    begun.await();

    for (int i = 0; i < 100; i++) {
      assertThat(call("short")).startsWith("instance short");
    }

    released.countDown();
    other.get(60, TimeUnit.SECONDS);
    awaitEventLoop();
  }

  @Test
  void aLargerInputThanBeforeIsExecutedByTheInstance() throws Exception {
    awaitEventLoop();
    assertThat(call("short", "larger")).startsWith("instance short");
  }

  @Test
  void anInstanceOfUnboundedTimeIsNotExecutedByAnEventLoop() throws Exception {
    for (int i = 0; i < 100; i++) {
      assertThat(call("unbounded")).startsWith("instance unbounded");
    }
  }

  /** Connections go to the event loops in turn. */
  @Test
  void allOtherConnectionsAreServedWhileAnExecutionHangs() throws Exception {
    for (int i = 0; i < 100; i++) {
      released.countDown();
      assertThat(call("held")).startsWith("instance held");
    }
    var hang = new CountDownLatch(1);
    begun = new CountDownLatch(1);
    released = hang;
    ListenableFuture<ModelInferResponse> hanging = send("held", "x");
    begun.await();

    for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors(); i++) {
      ManagedChannel other =
          ManagedChannelBuilder.forAddress("127.0.0.1", server.grpcPort()).usePlaintext().build();
      try {
        var calls =
            GRPCInferenceServiceGrpc.newBlockingStub(other).withDeadlineAfter(60, TimeUnit.SECONDS);
        assertThat(calls.serverReady(ServerReadyRequest.getDefaultInstance()).getReady()).isTrue();
        assertThat(calls.modelInfer(request("short", "y")).getRawOutputContentsCount()).isOne();
      } finally {
        other.shutdownNow();
      }
    }

    hang.countDown();
    hanging.get(60, TimeUnit.SECONDS);
  }

  @Test
  void anInstanceThatDoesNotRunOnAnyThreadIsNotExecutedByAnEventLoop() throws Exception {
    for (int i = 0; i < 100; i++) {
      assertThat(call("own")).startsWith("instance own");
    }
  }
}

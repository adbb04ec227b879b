package io.nereid.server.memory;

import static io.nereid.server.grpc.Http2Socket.DATA;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferRequest.InferInputTensor;
import io.nereid.protocol.inference.ModelInferResponse;
import io.nereid.protocol.inference.ModelStreamInferResponse;
import io.nereid.server.LocalServer;
import io.nereid.server.grpc.Http2Socket;
import io.nereid.tck.TckModels;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses over gRPC that leave from the memory of their tensors. */
@Timeout(60)
class LentResponsesTest {
  private static final String INFER = "inference.GRPCInferenceService/ModelInfer";
  private static final String STREAM = "inference.GRPCInferenceService/ModelStreamInfer";

  /** More than fits into the windows of a client that does not read. */
  private static final int UNREAD = 200_000;

  private final BufferPool pool = new CheckedBufferPool();
  @TempDir private Path models;

  @BeforeEach
  void writeModels() throws IOException {
    TckModels.extractTo(models);
  }

  private static ModelInferRequest request(ByteString bytes) {
    return ModelInferRequest.newBuilder()
        .setModelName("identity_uint8")
        .addInputs(
            InferInputTensor.newBuilder()
                .setName("INPUT0")
                .setDatatype("UINT8")
                .addShape(bytes.size()))
        .addRawInputContents(bytes)
        .build();
  }

  private static ByteString random(int byteSize) {
    byte[] bytes = new byte[byteSize];
    new Random(byteSize).nextBytes(bytes);
    return ByteString.copyFrom(bytes);
  }

  private static ModelInferResponse infer(ManagedChannel channel, ByteString bytes) {
    return GRPCInferenceServiceGrpc.newBlockingStub(channel)
        .withMaxInboundMessageSize(Integer.MAX_VALUE)
        .modelInfer(request(bytes));
  }

  private void awaitOutstanding(long leases) {
    while (pool.outstanding() != leases) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 65_000, 65_536, 65_537, 602_112, 3_000_001, 20_000_000})
  void carryTheBytesOfTheirTensors(int byteSize) throws Exception {
    try (var server = new LocalServer(LocalServer.options(models), pool)) {
      ByteString bytes = random(byteSize);
      for (int i = 0; i < 3; i++) {
        assertThat(infer(server.channel(), bytes).getRawOutputContents(0)).isEqualTo(bytes);
      }
      awaitOutstanding(0);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 65_400, 65_536, 65_537, 602_112, 3_000_001})
  void ofStreamsCarryTheBytesOfTheirTensors(int byteSize) throws Exception {
    try (var server = new LocalServer(LocalServer.options(models), pool)) {
      ByteString bytes = random(byteSize);
      var responses = new LinkedBlockingQueue<ModelStreamInferResponse>();
      var ended = new CompletableFuture<@Nullable Void>();
      StreamObserver<ModelInferRequest> requests =
          GRPCInferenceServiceGrpc.newStub(server.channel())
              .withMaxInboundMessageSize(Integer.MAX_VALUE)
              .modelStreamInfer(
                  new StreamObserver<>() {
                    @Override
                    public void onNext(ModelStreamInferResponse response) {
                      responses.add(response);
                    }

                    @Override
                    public void onError(Throwable failure) {
                      ended.completeExceptionally(failure);
                    }

                    @Override
                    public void onCompleted() {
                      ended.complete(null);
                    }
                  });
      for (int i = 0; i < 3; i++) {
        requests.onNext(request(bytes));
      }
      requests.onCompleted();
      ended.get(60, TimeUnit.SECONDS);
      assertThat(responses)
          .hasSize(3)
          .allMatch(response -> response.getInferResponse().getRawOutputContents(0).equals(bytes));
      awaitOutstanding(0);
    }
  }

  @Test
  void ofAStreamKeepTheirMemoryUntilTheirClientCloses() throws Exception {
    try (var server = new LocalServer(LocalServer.options(models), pool)) {
      try (var client = Http2Socket.open(server.grpcPort())) {
        client.writeCall(1, STREAM);
        client.writeMessage(1, false, request(random(UNREAD)).toByteArray(), false);
        client.await(frame -> frame.type() == DATA);
        awaitOutstanding(1);
      }
      awaitOutstanding(0);
    }
  }

  /** A client that has room for the head of a response, and for 65,535 bytes of all of them. */
  private static void send(Http2Socket client, int streamId) throws IOException {
    client.writeCall(streamId, INFER);
    client.writeMessage(streamId, false, request(random(UNREAD)).toByteArray(), true);
  }

  @Test
  void keepTheirMemoryUntilTheirClientResets() throws Exception {
    try (var server = new LocalServer(LocalServer.options(models), pool);
        var client = Http2Socket.open(server.grpcPort())) {
      send(client, 1);
      client.await(frame -> frame.type() == DATA);
      awaitOutstanding(1);

      client.writeFrame(Http2Socket.RST_STREAM, 0, 1, new byte[] {0, 0, 0, 8});
      awaitOutstanding(0);
    }
  }

  @Test
  void returnTheirMemoryWhenTheirClientCloses() throws Exception {
    try (var server = new LocalServer(LocalServer.options(models), pool)) {
      try (var client = Http2Socket.open(server.grpcPort())) {
        send(client, 1);
        client.await(frame -> frame.type() == DATA);
        awaitOutstanding(1);
      }
      awaitOutstanding(0);
    }
  }

  @Test
  void ofAClientThatDoesNotReadHaveAShareOfTheMemory() throws Exception {
    long requestMemory = 64L * UNREAD;
    try (var server =
            new LocalServer(
                LocalServer.options(models, "--max-request-memory=" + requestMemory), pool);
        var client = Http2Socket.open(server.grpcPort())) {
      for (int i = 0; i < 20; i++) {
        send(client, 2 * i + 1);
        client.await(frame -> frame.type() == Http2Socket.HEADERS); // the head of a response
      }
      // a quarter of the memory is for responses, of which a client alone has half
      awaitOutstanding(requestMemory / 4 / 2 / UNREAD - 1);
    }
    awaitOutstanding(0);
  }
}

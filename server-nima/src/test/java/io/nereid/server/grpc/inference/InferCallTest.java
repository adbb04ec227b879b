package io.nereid.server.grpc.inference;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.model.control.FakeModelControl;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferResponse;
import io.nereid.server.frontend.TestServices;
import io.nereid.server.grpc.GrpcSettings;
import io.nereid.server.grpc.GrpcTransport;
import io.nereid.server.security.ListenerSecurity;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that failed calls release the memory of their requests; the server has no models. */
@Timeout(120)
class InferCallTest {
  /** ModelInfer as a streaming call, whose client can send several requests or none. */
  private static final MethodDescriptor<ModelInferRequest, ModelInferResponse> AS_A_STREAM =
      GRPCInferenceServiceGrpc.getModelInferMethod().toBuilder()
          .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
          .build();

  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final RequestMemory requestMemory = new RequestMemory(1L << 30, 1L << 30);
  private final GrpcTransport server;
  private final ManagedChannel channel;
  private final CompletableFuture<Status> status = new CompletableFuture<>();

  InferCallTest() throws IOException {
    server =
        GrpcTransport.of(
                GrpcSettings.of("127.0.0.1", 0),
                ListenerSecurity.NONE,
                TestServices.of(new FakeModelControl(), pool, requestMemory))
            .start();
    channel = ManagedChannelBuilder.forAddress("127.0.0.1", server.port()).usePlaintext().build();
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.stop(Duration.ofSeconds(30));
    assertThat(pool.outstanding()).isZero();
  }

  private ClientCall<ModelInferRequest, ModelInferResponse> call() {
    ClientCall<ModelInferRequest, ModelInferResponse> call =
        channel.newCall(AS_A_STREAM, CallOptions.DEFAULT);
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status closed, Metadata trailers) {
            status.complete(closed);
          }
        },
        new Metadata());
    call.request(1);
    return call;
  }

  private static ModelInferRequest request() {
    return ModelInferRequest.newBuilder()
        .setModelName("none")
        .addRawInputContents(ByteString.copyFrom(new byte[100_000]))
        .build();
  }

  private void awaitOutstanding(long leases) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (pool.outstanding() != leases) {
      assertThat(System.nanoTime() - deadline).as("still waiting").isNegative();
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void releasesTheMemoryOfARequestForAnUnknownModelBeforeTheResponse() throws Exception {
    ClientCall<ModelInferRequest, ModelInferResponse> call = call();
    call.sendMessage(request());
    call.halfClose();

    Status closed = status.get(60, TimeUnit.SECONDS);
    assertThat(closed.getCode()).isEqualTo(Status.Code.NOT_FOUND);
    assertThat(closed.getDescription()).isEqualTo("Request for unknown model: 'none' is not found");
    assertThat(pool.outstanding()).isZero();
  }

  @Test
  void rejectsTwoRequestsInOneCallAndReleasesBoth() throws Exception {
    ClientCall<ModelInferRequest, ModelInferResponse> call = call();
    call.sendMessage(request());
    call.sendMessage(request());
    call.halfClose();

    Status closed = status.get(60, TimeUnit.SECONDS);
    assertThat(closed.isOk()).isFalse(); // gRPC may have cancelled the call itself
    awaitOutstanding(0);
  }

  @Test
  void rejectsACallWithoutARequest() throws Exception {
    call().halfClose();

    assertThat(status.get(60, TimeUnit.SECONDS).getDescription())
        .isEqualTo("Half-closed without a request");
  }
}

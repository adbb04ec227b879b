package io.nereid.training;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferRequest.InferInputTensor;
import io.nereid.protocol.inference.ModelMetadataRequest;
import io.nereid.protocol.inference.ModelStreamInferResponse;
import io.nereid.protocol.inference.ServerLiveRequest;
import io.nereid.protocol.inference.ServerMetadataRequest;
import io.nereid.protocol.inference.ServerReadyRequest;
import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** The requests over gRPC: single ones, and those of one stream. */
final class GrpcTraining implements AutoCloseable {
  private static final ModelInferRequest SIMPLE = simple("simple");

  private final ManagedChannel channel;
  private final GRPCInferenceServiceBlockingStub stub;
  private final StreamObserver<ModelInferRequest> stream;
  private final BlockingQueue<Object> received = new ArrayBlockingQueue<>(2);

  GrpcTraining(int port) {
    channel = NettyChannelBuilder.forAddress("localhost", port).usePlaintext().build();
    stub = GRPCInferenceServiceGrpc.newBlockingStub(channel);
    stream = GRPCInferenceServiceGrpc.newStub(channel).modelStreamInfer(new Received());
  }

  /** Reads what clients read once, and meets the most usual error. */
  void readMetadata() throws IOException {
    var _ = stub.serverLive(ServerLiveRequest.getDefaultInstance());
    var _ = stub.serverReady(ServerReadyRequest.getDefaultInstance());
    var _ = stub.serverMetadata(ServerMetadataRequest.getDefaultInstance());
    var _ = stub.modelMetadata(ModelMetadataRequest.newBuilder().setName("simple").build());
    try {
      var _ = stub.modelInfer(simple("unknown"));
      throw new IOException("expected an error for a model that there is not");
    } catch (StatusRuntimeException expected) {
      if (expected.getStatus().getCode() != Status.Code.NOT_FOUND) {
        throw new IOException("an unknown model: " + expected.getStatus(), expected);
      }
    }
  }

  /** Sends a single request, and one on the stream. */
  void infer() throws IOException, InterruptedException {
    try {
      var _ = stub.modelInfer(SIMPLE);
    } catch (StatusRuntimeException failed) {
      throw new IOException("ModelInfer: " + failed.getStatus(), failed);
    }
    stream.onNext(SIMPLE);
    if (received.take() instanceof Throwable failed) {
      throw new IOException("ModelStreamInfer: " + failed.getMessage(), failed);
    }
  }

  private static ModelInferRequest simple(String model) {
    var input = InferInputTensor.newBuilder().setDatatype("INT32").addShape(1).addShape(16);
    ByteString numbers = ByteString.copyFrom(new byte[16 * Integer.BYTES]);
    return ModelInferRequest.newBuilder()
        .setModelName(model)
        .addInputs(input.clone().setName("INPUT0"))
        .addInputs(input.clone().setName("INPUT1"))
        .addRawInputContents(numbers)
        .addRawInputContents(numbers)
        .build();
  }

  /** What the stream receives: a response, or why it has ended. */
  private final class Received implements StreamObserver<ModelStreamInferResponse> {
    @Override
    public void onNext(ModelStreamInferResponse response) {
      boolean failed = !response.getErrorMessage().isEmpty();
      var _ = received.offer(failed ? new IOException(response.getErrorMessage()) : response);
    }

    @Override
    public void onError(Throwable failed) {
      var _ = received.offer(failed);
    }

    @Override
    public void onCompleted() {
      var _ = received.offer(new IOException("the server has ended the stream"));
    }
  }

  @Override
  public void close() {
    stream.onCompleted();
    channel.shutdownNow();
  }
}

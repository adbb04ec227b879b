package io.nereid.demo;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub;
import io.nereid.protocol.inference.ModelInferRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Sends pixels as raw bytes, as Triton's clients do. */
final class GrpcDigitClient implements Demo.Client {
  private final ManagedChannel channel;
  private final GRPCInferenceServiceBlockingStub stub;

  GrpcDigitClient(int port) {
    channel = NettyChannelBuilder.forAddress("localhost", port).usePlaintext().build();
    stub = GRPCInferenceServiceGrpc.newBlockingStub(channel);
  }

  @Override
  public String protocol() {
    return "gRPC";
  }

  @Override
  public float[] probabilities(Sample sample) throws IOException {
    ByteBuffer pixels =
        ByteBuffer.allocate(sample.pixels().size() * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    sample.pixels().forEach(pixels::putFloat);
    pixels.flip();
    var input =
        ModelInferRequest.InferInputTensor.newBuilder()
            .setName("image")
            .setDatatype("FP32")
            .addShape(1)
            .addShape(1)
            .addShape(8)
            .addShape(8);
    var request =
        ModelInferRequest.newBuilder()
            .setModelName("digits")
            .addInputs(input)
            .addRawInputContents(ByteString.copyFrom(pixels))
            .build();
    ByteBuffer output;
    try {
      output = stub.modelInfer(request).getRawOutputContents(0).asReadOnlyByteBuffer();
    } catch (StatusRuntimeException failure) {
      throw new IOException(sample.file() + ": " + failure.getStatus(), failure);
    }
    float[] probabilities = new float[output.remaining() / Float.BYTES];
    output.order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(probabilities);
    return probabilities;
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}

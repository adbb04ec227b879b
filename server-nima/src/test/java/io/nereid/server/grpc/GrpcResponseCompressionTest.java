package io.nereid.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ClientStreamTracer;
import io.grpc.ClientStreamTracer.StreamInfo;
import io.grpc.Metadata;
import io.grpc.stub.ClientCalls;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferRequest.InferInputTensor;
import io.nereid.server.LocalServer;
import io.nereid.tck.TckModels;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Responses that the server compresses, by the bytes that its client receives. */
@Timeout(60)
class GrpcResponseCompressionTest {
  private static final int SIZE = 100_000;

  private final AtomicLong received = new AtomicLong();

  /** Counts what the client receives of messages, before it decompresses them. */
  private final class Counter extends ClientStreamTracer {
    @Override
    public void inboundWireSize(long bytes) {
      received.addAndGet(bytes);
    }
  }

  private CallOptions counted() {
    return CallOptions.DEFAULT.withStreamTracerFactory(
        new ClientStreamTracer.Factory() {
          @Override
          public ClientStreamTracer newClientStreamTracer(StreamInfo info, Metadata headers) {
            return new Counter();
          }
        });
  }

  private static ModelInferRequest request() {
    return ModelInferRequest.newBuilder()
        .setModelName("identity_uint8")
        .addInputs(
            InferInputTensor.newBuilder().setName("INPUT0").setDatatype("UINT8").addShape(SIZE))
        .addRawInputContents(ByteString.copyFrom(new byte[SIZE]))
        .build();
  }

  @ParameterizedTest
  @CsvSource({"none,false", "low,true", "Medium,true", "HIGH,true"})
  void areSmallerUnlessTheLevelIsNone(String level, boolean compressed, @TempDir Path models)
      throws IOException {
    TckModels.extractTo(models);
    try (var server =
        new LocalServer(
            LocalServer.options(models, "--grpc-infer-response-compression-level=" + level),
            new CheckedBufferPool())) {
      var unary =
          ClientCalls.blockingUnaryCall(
              server.channel(),
              GRPCInferenceServiceGrpc.getModelInferMethod(),
              counted(),
              request());

      assertThat(unary.getRawOutputContents(0).size()).isEqualTo(SIZE);
      assertThat(received.getAndSet(0) < SIZE).isEqualTo(compressed);

      var streamed =
          ClientCalls.blockingServerStreamingCall(
                  server.channel(),
                  GRPCInferenceServiceGrpc.getModelStreamInferMethod(),
                  counted(),
                  request())
              .next();

      assertThat(streamed.getInferResponse().getRawOutputContents(0).size()).isEqualTo(SIZE);
      assertThat(received.get() < SIZE).isEqualTo(compressed);
    }
  }
}

package io.nereid.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelStreamInferResponse;
import io.nereid.server.LocalServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Streams with {@code triton_grpc_error} whose requests a scheduler rejects, on whichever thread
 * drains the events of the model.
 */
@Timeout(120)
class StreamRejectionTest {
  private static final int STREAMS = 4;
  private static final int REQUESTS = 3_000;

  private static final ModelInferRequest WITHOUT_START =
      ModelInferRequest.newBuilder()
          .setModelName("talks")
          .putParameters("sequence_id", InferParameter.newBuilder().setInt64Param(7).build())
          .addInputs(
              ModelInferRequest.InferInputTensor.newBuilder()
                  .setName("IN0")
                  .setDatatype("UINT8")
                  .addShape(1))
          .addRawInputContents(ByteString.copyFrom(new byte[1]))
          .build();

  /** Counts error messages; completed when the stream ends. */
  private static final class Messages implements StreamObserver<ModelStreamInferResponse> {
    private final CompletableFuture<Integer> count = new CompletableFuture<>();
    private int errors;

    @Override
    public void onNext(ModelStreamInferResponse message) {
      // The second, if the thread that drains the events falls behind the others.
      assertThat(message.getErrorMessage())
          .containsAnyOf("must specify the START flag", "Exceeds maximum queue size");
      errors++;
    }

    @Override
    public void onError(Throwable ended) {
      count.completeExceptionally(ended);
    }

    @Override
    public void onCompleted() {
      count.complete(errors);
    }
  }

  private static void model(Path repository) {
    ModelOnDisk.of(
        repository,
        "talks",
        """
        backend: "gate"
        input { name: "IN0" data_type: TYPE_UINT8 dims: [ -1 ] }
        output { name: "OUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
        instance_group { count: 1 kind: KIND_CPU }
        sequence_batching { }
        """);
  }

  @Test
  void aRejectionIsAMessageAndNotTheEndOfTheStreamWhicheverThreadDecides(@TempDir Path repository)
      throws Exception {
    model(repository);
    try (var server = new LocalServer(repository)) {
      List<ManagedChannel> channels =
          IntStream.range(0, STREAMS)
              .mapToObj(_ ->
                  ManagedChannelBuilder.forTarget(server.channel().authority())
                      .usePlaintext()
                      .build())
              .toList();
      try {
        assertThat(rejections(channels)).containsOnly(REQUESTS).hasSize(STREAMS);
      } finally {
        channels.forEach(ManagedChannel::shutdownNow);
      }
    }
  }

  private static List<Integer> rejections(List<ManagedChannel> channels) throws Exception {
    var headers = new Metadata();
    headers.put(Metadata.Key.of("triton_grpc_error", Metadata.ASCII_STRING_MARSHALLER), "true");
    List<Messages> streams = new ArrayList<>();
    List<Thread> senders = new ArrayList<>();
    for (ManagedChannel channel : channels) {
      var messages = new Messages();
      streams.add(messages);
      StreamObserver<ModelInferRequest> requests =
          GRPCInferenceServiceGrpc.newStub(channel)
              .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
              .modelStreamInfer(messages);
      senders.add(
          Thread.ofPlatform()
              .start(() -> {
                for (int i = 0; i < REQUESTS && !messages.count.isDone(); i++) {
                  requests.onNext(WITHOUT_START);
                }
                requests.onCompleted();
              }));
    }
    for (Thread sender : senders) {
      sender.join();
    }
    List<Integer> counts = new ArrayList<>();
    for (Messages messages : streams) {
      counts.add(messages.count.get(60, TimeUnit.SECONDS));
    }
    return counts;
  }
}

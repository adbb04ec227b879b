package io.nereid.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.protobuf.ProtoUtils;
import io.nereid.engine.memory.ArenaAllocator;
import io.nereid.engine.memory.SlabPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferRequest.InferInputTensor;
import io.nereid.protocol.inference.ModelInferRequest.InferRequestedOutputTensor;
import io.nereid.protocol.inference.ModelStatisticsRequest;
import io.nereid.protocol.inference.ModelStreamInferResponse;
import io.nereid.server.LocalServer;
import io.nereid.server.NereidServer;
import io.nereid.tck.TckModels;
import io.nereid.tck.gate.Gate;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Streams with requests that wait, with a client that does not read, and of a server that stops.
 */
@Timeout(120)
class StreamTest {
  private static final int TIMEOUT_SECONDS = 60;

  /** Takes requests as bytes, so that a test can send malformed ones. */
  private static final MethodDescriptor<byte[], ModelStreamInferResponse> CALL =
      GRPCInferenceServiceGrpc.getModelStreamInferMethod().toBuilder(
              new Bytes(), ProtoUtils.marshaller(ModelStreamInferResponse.getDefaultInstance()))
          .build();

  private final SlabPool pool = new SlabPool(new ArenaAllocator(), 1L << 30);
  private final BlockingQueue<Object> received = new LinkedBlockingQueue<>();
  private final Gate gate = Gate.of("gated");
  private NereidServer server;
  private ManagedChannel channel;

  private record Bytes() implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      throw new UnsupportedOperationException("a client reads no requests");
    }
  }

  @BeforeEach
  void start(@TempDir Path directory) throws IOException {
    TckModels.extractTo(directory);
    ModelOnDisk.of(
        directory,
        "gated",
        """
        backend: "gate"
        input { name: "IN0" data_type: TYPE_INT32 dims: [ -1 ] }
        output { name: "OUT0" data_type: TYPE_INT32 dims: [ -1 ] }
        """);
    var options =
        LocalServer.options(
            directory,
            "--allow-http=false",
            "--grpc-write-timeout-secs=600"); // a client that does not read waits for 400,000
    server = LocalServer.start(options, pool);
    channel =
        ManagedChannelBuilder.forAddress("127.0.0.1", server.grpcPort()).usePlaintext().build();
  }

  @AfterEach
  void stop() {
    gate.tearDown();
    channel.shutdownNow();
    server.close();
    Gate.forget("gated");
    assertThat(pool.outstanding()).isZero();
  }

  private ClientCall<byte[], ModelStreamInferResponse> stream() {
    ClientCall<byte[], ModelStreamInferResponse> call = channel.newCall(CALL, CallOptions.DEFAULT);
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onMessage(ModelStreamInferResponse message) {
            received.add(message);
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            received.add(status);
          }
        },
        new Metadata());
    return call;
  }

  private Object take() throws InterruptedException {
    Object event = received.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    assertThat(event).as("an event within a minute").isNotNull();
    return event;
  }

  private ModelStreamInferResponse next() throws InterruptedException {
    Object event = take();
    assertThat(event).isInstanceOf(ModelStreamInferResponse.class);
    return (ModelStreamInferResponse) event;
  }

  private String nextId() throws InterruptedException {
    return next().getInferResponse().getId();
  }

  private static ModelInferRequest.Builder request(String model, String input, int... values) {
    var bytes = ByteString.newOutput();
    for (int value : values) {
      for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
        bytes.write(value >>> shift);
      }
    }
    return ModelInferRequest.newBuilder()
        .setModelName(model)
        .setId(model)
        .addInputs(
            InferInputTensor.newBuilder()
                .setName(input)
                .setDatatype("INT32")
                .addShape(values.length))
        .addRawInputContents(bytes.toByteString());
  }

  private static byte[] echo() {
    return request("identity_int32", "INPUT0", 1).build().toByteArray();
  }

  private static byte[] hold() {
    return request("repeat", "IN", 1)
        .putParameters(
            "hold", InferParameter.getDefaultInstance().toBuilder().setBoolParam(true).build())
        .build()
        .toByteArray();
  }

  @Test
  void decoupledResponsesDoNotWaitForOrdinaryOnes() throws Exception {
    var call = stream();
    call.request(10);
    call.sendMessage(request("gated", "IN0", 1).build().toByteArray());
    call.sendMessage(echo());
    call.sendMessage(request("repeat", "IN", 5, 6).build().toByteArray());
    call.halfClose();

    assertThat(nextId()).isEqualTo("repeat");
    assertThat(nextId()).isEqualTo("repeat");
    gate.openAll();
    assertThat(nextId()).isEqualTo("gated");
    assertThat(nextId()).isEqualTo("identity_int32");
    assertThat(((Status) take()).getCode()).isEqualTo(Status.Code.OK);
  }

  @Test
  void cancelsADecoupledRequestWhoseClientDoesNotRead() throws Exception {
    var call = stream();
    var output = InferRequestedOutputTensor.newBuilder().setName("IDX");
    call.sendMessage(
        request("repeat", "IN", new int[400_000]).addOutputs(output).build().toByteArray());
    call.sendMessage(request("repeat", "IN", 7).setId("after").build().toByteArray());
    call.halfClose();
    awaitCancelled("repeat"); // before the client reads, so that it cannot be fast enough

    call.request(Integer.MAX_VALUE);
    int responses = 0;
    var message = next();
    while (message.getErrorMessage().isEmpty()) {
      assertThat(message.getInferResponse().getRawOutputContents(0).byteAt(0))
          .isEqualTo((byte) responses);
      responses++;
      message = next();
    }
    assertThat(message.getErrorMessage())
        .isEqualTo(
            "[request id: repeat] the client reads its stream too slowly: more than 134217728 bytes"
                + " wait to be read");
    assertThat(responses).isBetween(100_000, 399_999);
    assertThat(nextId()).isEqualTo("after");
    assertThat(((Status) take()).getCode()).isEqualTo(Status.Code.OK);
  }

  /** Waits until a response of a model was not sent because its request had been cancelled. */
  private void awaitCancelled(String model) {
    // not by the connection of the stream, whose window unread messages may have used up
    ManagedChannel other =
        ManagedChannelBuilder.forAddress("127.0.0.1", server.grpcPort()).usePlaintext().build();
    try {
      var stub =
          GRPCInferenceServiceGrpc.newBlockingStub(other)
              .withMaxInboundMessageSize(64 << 20); // a statistic of each response
      var request = ModelStatisticsRequest.newBuilder().setName(model).build();
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
      while (stub.modelStatistics(request).getModelStats(0).getResponseStatsMap().values().stream()
          .noneMatch(response -> response.getCancel().getCount() > 0)) {
        assertThat(System.nanoTime() - deadline).as("still waiting").isNegative();
        LockSupport.parkNanos(100_000_000);
      }
    } finally {
      other.shutdownNow();
    }
  }

  @Test
  void rejectsMalformedBytesAndGoesOnWithTheStream() throws Exception {
    var call = stream();
    call.request(10);
    call.sendMessage("nonsense".getBytes(StandardCharsets.UTF_8));
    call.sendMessage(echo());
    call.halfClose();

    assertThat(next().getErrorMessage()).startsWith("request is not a valid protobuf message: ");
    assertThat(nextId()).isEqualTo("identity_int32");
    assertThat(((Status) take()).getCode()).isEqualTo(Status.Code.OK);
  }

  @Test
  void aStoppingServerRejectsRequestsOnBusyStreamsAndEndsIdleOnes() throws Exception {
    var busy = stream();
    busy.request(Integer.MAX_VALUE);
    busy.sendMessage(hold());
    assertThat(nextId()).isEqualTo("repeat");
    var idle = stream();
    idle.request(1);
    idle.sendMessage(echo());
    assertThat(nextId()).isEqualTo("identity_int32");

    Thread closing = Thread.ofPlatform().start(server::close);
    String text = "GRPC server is shutting down and has stopped accepting new requests.";
    assertThat(((Status) take()).toString()).contains("UNAVAILABLE").contains(text);
    busy.sendMessage(echo());
    var rejection = next();
    assertThat(rejection.getErrorMessage()).isEqualTo(text);
    assertThat(rejection.getInferResponse().getId()).isEqualTo("identity_int32");
    busy.cancel("enough", null);
    closing.join();
  }
}

package io.nereid.server.grpc;

import static io.nereid.server.grpc.GrpcTestServer.INFER;
import static io.nereid.server.grpc.GrpcTestServer.STREAM;
import static io.nereid.server.grpc.GrpcTestServer.assertServes;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.model.control.FakeModelControl;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelRepositoryParameter;
import io.nereid.protocol.inference.RepositoryModelLoadRequest;
import io.nereid.server.codec.LongWork;
import io.nereid.server.grpc.limits.GrpcLimits;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a client takes of the server's memory is returned, whatever fails and whenever it leaves.
 */
@Timeout(60)
class GrpcMemoryTest {
  private static final String LIVE = "inference.GRPCInferenceService/ServerLive";

  /** Each takes another way: by the event loop, counted, by long work. */
  private static final List<Integer> SIZES = List.of(1_000, 200_000, 5 << 20);

  private static GrpcTestServer start() throws IOException {
    return start(Optional.empty(), new LongWork(2));
  }

  private static GrpcTestServer start(Optional<BufferPool> brokenPool, LongWork longWork)
      throws IOException {
    return new GrpcTestServer(
        GrpcLimits.DEFAULT, GrpcKeepAlive.DEFAULT, new FakeModelControl(), brokenPool, longWork);
  }

  private static byte[] request(int byteSize) {
    return ModelInferRequest.newBuilder()
        .setModelName("none")
        .addRawInputContents(ByteString.copyFrom(new byte[byteSize]))
        .build()
        .toByteArray();
  }

  private static byte[] gzip(byte[] bytes) throws IOException {
    var compressed = new ByteArrayOutputStream();
    try (var stream = new GZIPOutputStream(compressed)) {
      stream.write(bytes);
    }
    return compressed.toByteArray();
  }

  private static void send(Http2Socket client, int streamId, String method, byte[] gzip)
      throws IOException {
    client.writeFrame(
        Http2Socket.HEADERS,
        Http2Socket.END_HEADERS,
        streamId,
        Http2Socket.callHeaders(method, "gzip"));
    client.writeMessage(streamId, true, gzip, true);
  }

  @Test
  void answersAMessageOfVeryManyEmptyMembersOfGzip() throws Exception {
    byte[] member = gzip(new byte[0]);
    ByteBuffer members = ByteBuffer.allocate(20_000 * member.length);
    while (members.hasRemaining()) {
      members.put(member);
    }
    try (var server = start();
        var client = Http2Socket.open(server.port())) {
      send(client, 1, INFER, members.array());
      assertThat(client.awaitStatus(1)).startsWith("5 ");
      send(client, 3, STREAM, members.array());
      assertThat(client.awaitStatus(3)).startsWith("0 ");
      send(client, 5, LIVE, members.array());
      assertThat(client.awaitStatus(5)).startsWith("8 ");
      server.awaitNoMemory();
      assertServes(client, 7);
    }
  }

  /** A request with an input of strings of one byte. */
  private static byte[] strings(int count) throws IOException {
    var message = new ByteArrayOutputStream();
    var coded = CodedOutputStream.newInstance(message);
    coded.writeString(1, "none");
    int contents = 3 * count;
    int input = 1 + CodedOutputStream.computeUInt32SizeNoTag(contents) + contents;
    coded.writeTag(5, 2);
    coded.writeUInt32NoTag(input);
    coded.writeTag(5, 2);
    coded.writeUInt32NoTag(contents);
    byte[] element = {8 << 3 | 2, 1, 'a'};
    for (int i = 0; i < count; i++) {
      coded.writeRawBytes(element);
    }
    coded.flush();
    return message.toByteArray();
  }

  @Test
  void answersAMessageOfVeryManyStrings() throws Exception {
    byte[] strings = gzip(strings(20_000_000));
    try (var server = start();
        var client = Http2Socket.open(server.port())) {
      send(client, 1, INFER, strings);
      assertThat(client.awaitStatus(1))
          .isEqualTo("5 Request for unknown model: 'none' is not found");
      server.awaitNoMemory();
    }
  }

  /** A pool that throws an error instead of a lease. */
  private record BrokenPool(Supplier<Error> error) implements BufferPool {
    @Override
    public Lease lease(long byteSize) {
      throw error.get();
    }

    @Override
    public long outstanding() {
      return 0;
    }

    @Override
    public long heldBytes() {
      return 0;
    }

    @Override
    public void close() {}
  }

  enum Thrown {
    OUT_OF_MEMORY,
    STACK_OVERFLOW,
    BUG;

    Error error() {
      return switch (this) {
        case OUT_OF_MEMORY -> new OutOfMemoryError("thrown by a test");
        case STACK_OVERFLOW -> new StackOverflowError("thrown by a test");
        case BUG -> new AssertionError("thrown by a test");
      };
    }
  }

  @ParameterizedTest
  @EnumSource
  void answersACallWhateverIsThrownWhileItsMessageIsRead(Thrown thrown) throws Exception {
    try (var server = start(Optional.of(new BrokenPool(thrown::error)), new LongWork(2));
        var client = Http2Socket.open(server.port())) {
      String status = thrown == Thrown.OUT_OF_MEMORY ? "8 " : "13 ";
      int streamId = 1;
      for (int size : SIZES) {
        byte[] request = request(size);
        client.writeCall(streamId, INFER);
        client.writeMessage(streamId, false, request, true);
        assertThat(client.awaitStatus(streamId)).as("%d bytes", size).startsWith(status);
        send(client, streamId + 2, INFER, gzip(request));
        assertThat(client.awaitStatus(streamId + 2)).as("%d of gzip", size).startsWith(status);
        client.writeCall(streamId + 4, STREAM);
        client.writeMessage(streamId + 4, false, request, true);
        assertThat(client.awaitStatus(streamId + 4)).as("%d in a stream", size).startsWith("0 ");
        streamId += 6;
      }
      server.awaitNoMemory();
      assertServes(client, streamId);
    }
  }

  /** How a client leaves. */
  enum Leaving {
    RESETS,
    CLOSES
  }

  @ParameterizedTest
  @CsvSource({"RESETS,ModelInfer", "CLOSES,ModelInfer", "RESETS,ModelStreamInfer"})
  void returnsTheMemoryOfAClientThatLeavesWhileItsMessageComes(Leaving leaving, String method)
      throws Exception {
    try (var server = start()) {
      byte[] message = request(5 << 20);
      for (int sent : new int[] {0, 1, 5, 100, 70_000, 2 << 20, message.length + 4}) {
        try (var client = Http2Socket.open(server.port())) {
          client.writeCall(1, "inference.GRPCInferenceService/" + method);
          writePart(client, message, sent);
          if (leaving == Leaving.RESETS) {
            client.writeFrame(Http2Socket.RST_STREAM, 0, 1, new byte[] {0, 0, 0, 8});
            assertServes(client, 3);
          }
        }
        server.awaitNoConnection();
        server.awaitNoMemory();
      }
    }
  }

  /** The beginning of a message with its prefix. */
  private static void writePart(Http2Socket client, byte[] message, int byteSize)
      throws IOException {
    byte[] all =
        ByteBuffer.allocate(5 + message.length)
            .put((byte) 0)
            .putInt(message.length)
            .put(message)
            .array();
    for (int from = 0; from < byteSize; from += 16_384) {
      byte[] part = Arrays.copyOfRange(all, from, Math.min(byteSize, from + 16_384));
      client.writeFrame(Http2Socket.DATA, 0, 1, part);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "RESETS,ModelInfer,false", "RESETS,ModelStreamInfer,false",
    "CLOSES,ModelInfer,false", "CLOSES,ModelStreamInfer,false",
    "CLOSES,ModelInfer,true", "CLOSES,ModelStreamInfer,true"
  })
  void returnsTheMemoryOfClientsThatLeaveWhileTheirMessagesWaitForAThread(
      Leaving leaving, String method, boolean compressed) throws Exception {
    var longWork = new LongWork(1);
    var gate = new CountDownLatch(1);
    longWork.start(ClientKey.LOCAL, () -> awaitUninterrupted(gate));
    byte[] request = request(5 << 20);
    byte[] message = compressed ? gzip(request) : request;
    try (var server = start(Optional.empty(), longWork)) {
      for (int i = 0; i < 3; i++) {
        try (var client = Http2Socket.open(server.port())) {
          String name = "inference.GRPCInferenceService/" + method;
          if (compressed) {
            send(client, 1, name, message);
          } else {
            client.writeCall(1, name);
            client.writeMessage(1, false, message, true);
          }
          assertServes(client, 3); // all has come
          if (leaving == Leaving.RESETS) {
            client.writeFrame(Http2Socket.RST_STREAM, 0, 1, new byte[] {0, 0, 0, 8});
            assertServes(client, 5);
          }
        }
        server.awaitNoConnection();
      }
      gate.countDown();
      server.awaitNoMemory();
    }
  }

  @Test
  void countsAMessageThatHasComeUntilItIsParsed() throws Exception {
    try (var server = start();
        var client = Http2Socket.open(server.port())) {
      client.writeCall(1, INFER);
      client.writeMessage(1, false, request(1 << 20), false);
      assertServes(client, 3); // all has come but the end of the stream
      assertThat(server.memoryBytes()).isGreaterThanOrEqualTo(1 << 20);
      client.writeFrame(Http2Socket.DATA, Http2Socket.END_STREAM, 1);
      assertThat(client.awaitStatus(1)).startsWith("5 ");
      server.awaitNoMemory();
    }
  }

  @Test
  void tellsAClientThatHasItsMemoryWhenToTryAgain() throws Exception {
    long share = Runtime.getRuntime().maxMemory() / 4;
    try (var server = start();
        var client = Http2Socket.open(server.port())) {
      try (var _ = server.reserve(share - 100_000)) {
        client.writeCall(1, INFER);
        client.writeMessage(1, false, request(1 << 20), false);
        Http2Headers end = client.awaitEnd(1);
        assertThat(end.get("grpc-status")).hasToString("8");
        assertThat(end.get("grpc-message")).asString().startsWith("the client's share of ");
        assertThat(end.get("grpc-retry-pushback-ms")).hasToString("1000");
      }
      client.writeCall(3, INFER);
      client.writeMessage(3, false, request(1 << 20), true);
      assertThat(client.awaitStatus(3)).startsWith("5 ");
      server.awaitNoMemory();
    }
  }

  @ParameterizedTest
  @EnumSource
  void countsTheFilesOfALoadUntilItHasEnded(Leaving leaving) throws Exception {
    var models = new FakeModelControl();
    var load = new HeldLoad(models);
    var file =
        ModelRepositoryParameter.newBuilder()
            .setBytesParam(ByteString.copyFrom(new byte[1 << 20]))
            .build();
    byte[] message =
        RepositoryModelLoadRequest.newBuilder()
            .putParameters("file:1/a", file)
            .build()
            .toByteArray();
    try (var server = new GrpcTestServer(GrpcLimits.DEFAULT, GrpcKeepAlive.DEFAULT, models)) {
      try (var client = Http2Socket.open(server.port())) {
        load.begin(client, message);
        if (leaving == Leaving.RESETS) {
          client.writeFrame(Http2Socket.RST_STREAM, 0, 1, new byte[] {0, 0, 0, 8});
          assertServes(client, 3);
        }
      }
      server.awaitNoConnection();
      assertThat(server.memoryBytes()).isGreaterThan(1 << 20);
      load.end();
      server.awaitNoMemory();
    }
  }

  private static void awaitUninterrupted(CountDownLatch gate) {
    try {
      gate.await();
    } catch (InterruptedException unexpected) {
      throw new AssertionError("the work is not interrupted", unexpected);
    }
  }
}

package io.nereid.server.grpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.UnsafeByteOperations;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferRequest.InferInputTensor;
import io.nereid.server.LocalServer;
import io.nereid.tck.TckModels;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compressed and long messages over gRPC, honest and hostile ones. */
@Timeout(120)
class CompressedGrpcTest {
  private static final String INFER = "inference.GRPCInferenceService/ModelInfer";
  private static final String STREAM = "inference.GRPCInferenceService/ModelStreamInfer";
  private static final String LIVE = "inference.GRPCInferenceService/ServerLive";
  private static final int RAW_INPUT_CONTENTS = 7;
  private static final long MAX = 32 << 20;

  private final CheckedBufferPool pool = new CheckedBufferPool();
  private LocalServer server;

  @BeforeEach
  void start(@TempDir Path directory) throws IOException {
    TckModels.extractTo(directory);
    server =
        new LocalServer(LocalServer.options(directory, "--grpc-max-request-size=" + MAX), pool);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static ModelInferRequest request(byte[] tensor) {
    return ModelInferRequest.newBuilder()
        .setModelName("identity_uint8")
        .addInputs(
            InferInputTensor.newBuilder()
                .setName("INPUT0")
                .setDatatype("UINT8")
                .addShape(tensor.length))
        .addRawInputContents(UnsafeByteOperations.unsafeWrap(tensor))
        .build();
  }

  private GRPCInferenceServiceBlockingStub calls() {
    return GRPCInferenceServiceGrpc.newBlockingStub(server.channel())
        .withMaxInboundMessageSize(64 << 20);
  }

  private static byte[] tensor(int size) {
    byte[] tensor = new byte[size];
    new Random(size).nextBytes(tensor);
    return tensor;
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 64 << 10, 100_000, 5 << 20, 20 << 20})
  void answersRequestsOfAnySizeCompressedOrNot(int size) {
    byte[] tensor = tensor(size);
    ByteString plain = calls().modelInfer(request(tensor)).getRawOutputContents(0);
    ByteString compressed =
        calls().withCompression("gzip").modelInfer(request(tensor)).getRawOutputContents(0);

    assertThat(plain.toByteArray()).isEqualTo(tensor);
    assertThat(compressed.toByteArray()).isEqualTo(tensor);
  }

  private static byte[] gzip(byte[] bytes) throws IOException {
    var compressed = new ByteArrayOutputStream();
    try (var stream = new GZIPOutputStream(compressed)) {
      stream.write(bytes);
    }
    return compressed.toByteArray();
  }

  private static byte[] deflate(byte[] bytes) throws IOException {
    var compressed = new ByteArrayOutputStream();
    try (var stream = new DeflaterOutputStream(compressed)) {
      stream.write(bytes);
    }
    return compressed.toByteArray();
  }

  private void send(Http2Socket client, int streamId, String method, String encoding, byte[] body)
      throws IOException {
    client.writeFrame(
        Http2Socket.HEADERS,
        Http2Socket.END_HEADERS,
        streamId,
        Http2Socket.callHeaders(method, encoding));
    client.writeMessage(streamId, true, body, true);
  }

  @Test
  void readsDeflateToo() throws Exception {
    try (var client = Http2Socket.open(server.grpcPort())) {
      send(client, 1, INFER, "deflate", deflate(request(tensor(1000)).toByteArray()));
      assertThat(client.awaitStatus(1)).startsWith("0 ");
    }
  }

  @Test
  void refusesWhatIsNotOfItsEncoding() throws Exception {
    try (var client = Http2Socket.open(server.grpcPort())) {
      send(client, 1, INFER, "gzip", new byte[100]);
      assertThat(client.awaitStatus(1))
          .isEqualTo("3 the message is not valid gzip: Not in GZIP format");
      byte[] cut = gzip(request(tensor(200_000)).toByteArray());
      send(client, 3, INFER, "gzip", Arrays.copyOf(cut, cut.length / 2));
      assertThat(client.awaitStatus(3)).startsWith("3 the message is not valid gzip: ");
    }
  }

  /** A request whose tensor has zeros up to a gigabyte. */
  private static byte[] bomb(long zeros) throws IOException {
    var compressed = new ByteArrayOutputStream();
    try (OutputStream stream = new GZIPOutputStream(compressed)) {
      ModelInferRequest.newBuilder().setModelName("identity_uint8").build().writeTo(stream);
      var coded = CodedOutputStream.newInstance(stream);
      coded.writeTag(RAW_INPUT_CONTENTS, 2);
      coded.writeUInt64NoTag(zeros);
      coded.flush();
      byte[] part = new byte[1 << 20];
      for (long left = zeros; left > 0; left -= part.length) {
        stream.write(part);
      }
    }
    return compressed.toByteArray();
  }

  /** A request of many fields that are unknown, so that no length gives it away. */
  private static byte[] endlessBomb() throws IOException {
    var compressed = new ByteArrayOutputStream();
    try (OutputStream stream = new GZIPOutputStream(compressed)) {
      byte[] field = new byte[1 << 20];
      var head = CodedOutputStream.newInstance(field);
      head.writeTag(999, 2);
      head.writeUInt64NoTag(field.length - 5 /* the head */);
      head.flush();
      for (int i = 0; i < 64; i++) {
        stream.write(field);
      }
    }
    return compressed.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(strings = {INFER, STREAM})
  void refusesMessagesThatDecompressToTooMuch(String method) throws Exception {
    List<byte[]> bombs = new ArrayList<>(List.of(bomb(1L << 28), endlessBomb()));
    try (var client = Http2Socket.open(server.grpcPort())) {
      int streamId = 1;
      for (byte[] bomb : bombs) {
        send(client, streamId, method, "gzip", bomb);
        String text = "the message decompresses to more than 33554432 bytes";
        if (method.equals(INFER)) {
          assertThat(client.awaitStatus(streamId)).startsWith("8 " + text);
        } else {
          Http2Socket.Frame answer = client.await(frame -> frame.type() == Http2Socket.DATA);
          assertThat(new String(answer.payload(), UTF_8)).contains(text);
          assertThat(client.awaitStatus(streamId)).startsWith("0 ");
        }
        streamId += 2;
      }
    }
  }

  @Test
  void refusesACompressedMessageOfAnotherMethodThatIsLong() throws Exception {
    try (var client = Http2Socket.open(server.grpcPort())) {
      send(client, 1, LIVE, "gzip", endlessBomb());
      assertThat(client.awaitStatus(1)).doesNotStartWith("0 ");
      send(client, 3, LIVE, "gzip", gzip(new byte[0]));
      assertThat(client.awaitStatus(3)).startsWith("0 ");
    }
  }

  @Test
  void answersAllMessagesOfAStreamInOrderIfOneIsLong() throws Exception {
    try (var client = Http2Socket.open(server.grpcPort())) {
      client.writeFrame(
          Http2Socket.HEADERS, Http2Socket.END_HEADERS, 1, Http2Socket.callHeaders(STREAM, "gzip"));
      client.writeMessage(1, true, gzip(request(new byte[8 << 20]).toByteArray()), false);
      client.writeMessage(1, false, request(tensor(10)).toByteArray(), true);
      long received = 0;
      for (var frame = client.read(); frame != null && !frame.endsStream(); frame = client.read()) {
        if (frame.type() == Http2Socket.DATA) {
          received += frame.payload().length;
          client.growWindow(0, frame.payload().length);
          client.growWindow(1, frame.payload().length);
        }
      }
      assertThat(received).isBetween((8L << 20) + 10, (8L << 20) + 1000);
      assertThat(client.awaitStatus(1)).startsWith("0 ");
    }
  }
}

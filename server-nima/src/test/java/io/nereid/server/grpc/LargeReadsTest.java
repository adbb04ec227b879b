package io.nereid.server.grpc;

import static io.nereid.server.grpc.GrpcTestServer.INFER;
import static io.nereid.server.grpc.GrpcTestServer.assertServes;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.server.grpc.limits.GrpcRefusal;
import io.nereid.server.security.ListenerSecurity;
import io.nereid.server.security.RestrictedApis;
import io.nereid.server.security.ServerTls;
import io.nereid.server.security.TestAuthority;
import io.nereid.server.security.TlsSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients with large messages, of which a turn of an event loop reads much at once. */
@Timeout(60)
class LargeReadsTest {
  private static final byte[] MESSAGE = message(602_112);

  /** The largest payload of a frame, as the server's settings say. */
  private static final int MAX_FRAME = 60 << 10;

  private static final String LIVE = "inference.GRPCInferenceService/ServerLive";

  private static ServerTls serverTls;
  private static SSLContext clientTls;

  /** A request for a model that there is not, with its prefix. */
  private static byte[] message(int byteSize) {
    byte[] request =
        ModelInferRequest.newBuilder()
            .setModelName("none")
            .addRawInputContents(ByteString.copyFrom(new byte[byteSize]))
            .build()
            .toByteArray();
    return ByteBuffer.allocate(5 + request.length)
        .put((byte) 0)
        .putInt(request.length)
        .put(request)
        .array();
  }

  @BeforeAll
  static void makeCertificates(@TempDir Path directory) throws Exception {
    var authority = new TestAuthority("authority");
    authority.write(authority.issue("server"), directory);
    var settings =
        new TlsSettings(
            "grpc", directory.resolve("cert.pem"), directory.resolve("key.pem"), Optional.empty());
    serverTls = ServerTls.open(settings, InstantSource.system());
    clientTls = authority.client();
  }

  /** What lies between frames and the socket. */
  enum Wire {
    PLAIN,
    TLS;

    Http2Socket open(GrpcTestServer server) throws IOException {
      return this == PLAIN
          ? Http2Socket.open(server.port())
          : Http2Socket.open(server.port(), clientTls);
    }
  }

  private static GrpcTestServer start(Wire wire) throws IOException {
    Optional<ServerTls> tls = wire == Wire.PLAIN ? Optional.empty() : Optional.of(serverTls);
    return new GrpcTestServer(new ListenerSecurity(tls, RestrictedApis.NONE));
  }

  private static void writeFrames(
      ByteArrayOutputStream target, int streamId, int from, int to, int frameSize, boolean last) {
    for (int at = from; at < to; at += frameSize) {
      byte[] part = Arrays.copyOfRange(MESSAGE, at, Math.min(to, at + frameSize));
      int flags = last && at + frameSize >= to ? Http2Socket.END_STREAM : 0;
      target.writeBytes(Http2Socket.frame(Http2Socket.DATA, flags, streamId, part.length, part));
    }
  }

  private static byte[] frames(int streamId, int from, int to, boolean last) {
    var frames = new ByteArrayOutputStream();
    writeFrames(frames, streamId, from, to, 16_384, last);
    return frames.toByteArray();
  }

  /** Of grpc-java's, and of the size of frames, which holds from then on. */
  private static void acknowledgeSettings(Http2Socket client) throws IOException {
    client.writeFrame(Http2Socket.SETTINGS, Http2Socket.ACK, 0);
    client.writeFrame(Http2Socket.SETTINGS, Http2Socket.ACK, 0);
  }

  @ParameterizedTest
  @EnumSource
  void controlFramesAreCounted(Wire wire) throws Exception {
    try (var server = start(wire);
        var client = wire.open(server)) {
      var frames = new ByteArrayOutputStream();
      for (int i = 0; i < 1_100; i++) {
        byte[] one = {0, 0, 0, 1};
        frames.writeBytes(Http2Socket.frame(Http2Socket.WINDOW_UPDATE, 0, 0, one.length, one));
      }
      client.write(frames.toByteArray());

      server.awaitRefused(GrpcRefusal.CONTROL_FRAMES, 1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aMessageThatComesByteByByteIsRead(Wire wire) throws Exception {
    try (var server = start(wire);
        var client = wire.open(server)) {
      client.writeCall(1, INFER);
      client.write(frames(1, 0, 200_000, false));
      for (int at = 200_000; at < 201_000; at++) {
        client.write(frames(1, at, at + 1, false));
      }
      assertServes(client, 3);
      assertThat(server.memoryBytes()).isBetween((long) MESSAGE.length - 5, 700_000L);
      for (byte next : frames(1, 201_000, 202_000, false)) {
        client.write(next);
      }
      client.write(frames(1, 202_000, MESSAGE.length, true));
      assertThat(client.awaitStatus(1)).startsWith("5 ");
      server.awaitNoMemory();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aMessageOfTheLargestFramesIsRead(Wire wire) throws Exception {
    try (var server = start(wire);
        var client = wire.open(server)) {
      var frames = new ByteArrayOutputStream();
      writeFrames(frames, 1, 0, MESSAGE.length, MAX_FRAME, true);
      acknowledgeSettings(client);
      client.writeCall(1, INFER);
      client.write(frames.toByteArray());
      assertThat(client.awaitStatus(1)).startsWith("5 ");
      server.awaitNoMemory();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aFrameThatIsTooLargeEndsTheConnection(Wire wire) throws Exception {
    try (var server = start(wire);
        var client = wire.open(server)) {
      acknowledgeSettings(client);
      client.writeCall(1, INFER);
      client.write(Http2Socket.frame(Http2Socket.DATA, 0, 1, MAX_FRAME + 1));
      assertThat(client.await(frame -> frame.type() == Http2Socket.GOAWAY).payload()[7])
          .as("FRAME_SIZE_ERROR")
          .isEqualTo((byte) 6);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aMessageOfVerySmallFramesIsRead(Wire wire) throws Exception {
    try (var server = start(wire);
        var client = wire.open(server)) {
      var frames = new ByteArrayOutputStream();
      writeFrames(frames, 1, 0, MESSAGE.length, 10, true);
      client.writeCall(1, INFER);
      client.write(frames.toByteArray());
      assertThat(client.awaitStatus(1)).startsWith("5 ");
      server.awaitNoMemory();
    }
  }

  @ParameterizedTest
  @EnumSource
  void callsBehindAPartOfAMessageAreAllServed(Wire wire) throws Exception {
    try (var server = start(wire);
        var client = wire.open(server)) {
      var frames = new ByteArrayOutputStream();
      frames.writeBytes(frames(1, 0, 300_000, false));
      for (int streamId = 3; streamId < 1_500; streamId += 2) {
        frames.writeBytes(call(streamId));
      }
      client.writeCall(1, INFER);
      client.write(frames.toByteArray());
      for (int streamId = 3; streamId < 1_500; streamId += 2) {
        assertThat(client.awaitStatus(streamId)).startsWith("0 ");
      }
      client.write(frames(1, 300_000, MESSAGE.length, true));
      assertThat(client.awaitStatus(1)).startsWith("5 ");
      server.awaitNoMemory();
    }
  }

  private static byte[] call(int streamId) {
    byte[] headers = Http2Socket.callHeaders(LIVE);
    var call = new ByteArrayOutputStream();
    call.writeBytes(
        Http2Socket.frame(
            Http2Socket.HEADERS, Http2Socket.END_HEADERS, streamId, headers.length, headers));
    call.writeBytes(
        Http2Socket.frame(Http2Socket.DATA, Http2Socket.END_STREAM, streamId, 5, new byte[5]));
    return call.toByteArray();
  }

  @ParameterizedTest
  @EnumSource
  void aClientThatResetsItsMessagesHasNoMemory(Wire wire) throws Exception {
    try (var server = start(wire);
        var client = wire.open(server)) {
      for (int streamId = 1; streamId < 100; streamId += 2) {
        client.writeCall(streamId, INFER);
        client.write(frames(streamId, 0, 400_000, false));
        client.writeFrame(Http2Socket.RST_STREAM, 0, streamId, new byte[] {0, 0, 0, 8});
      }
      assertServes(client, 101);
      server.awaitNoMemory();
    }
  }

  @ParameterizedTest
  @EnumSource
  void manyMessagesAtOnceAreRead(Wire wire) throws Exception {
    try (var server = start(wire)) {
      List<Http2Socket> clients = new ArrayList<>();
      try {
        for (int i = 0; i < 20; i++) {
          clients.add(wire.open(server));
        }
        for (Http2Socket client : clients) {
          client.writeCall(1, INFER);
          client.writeCall(3, INFER);
        }
        int half = MESSAGE.length / 2;
        for (Http2Socket client : clients) {
          client.write(frames(1, 0, half, false));
          client.write(frames(3, 0, half, false));
        }
        for (Http2Socket client : clients) {
          client.write(frames(3, half, MESSAGE.length, true));
          client.write(frames(1, half, MESSAGE.length, true));
        }
        for (Http2Socket client : clients) {
          assertThat(client.awaitStatus(1)).startsWith("5 ");
          assertThat(client.awaitStatus(3)).startsWith("5 ");
        }
        server.awaitNoMemory();
      } finally {
        for (Http2Socket client : clients) {
          client.close();
        }
      }
    }
  }
}

package io.nereid.server.warmup;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.nereid.protocol.inference.ModelInferRequest;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;

/**
 * The requests of a warm-up, each time over a new connection. By sockets and not by a library's
 * client: in the server's process it would be warmed up too, and where client and server extend the
 * same class, the JVM compiles slower calls.
 */
final class WarmupRequests {
  /** The name of the header with the secret. */
  static final String HEADER = "nereid-warm-up";

  /** The requests of a connection. */
  static final int COUNT = 8;

  /** A response that takes longer is a failure. Longer than a busy machine needs for the first. */
  private static final int TIMEOUT_MILLIS = 10_000;

  /** No name of a model: it cannot be that of a directory. */
  private static final String MODEL = "/";

  // Frames of HTTP/2 (RFC 9113, section 6), and their flags.
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int SETTINGS = 4;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;

  /** The bytes of a frame behind its length, type and flags: its stream. */
  private static final int STREAM_SIZE = 4;

  private WarmupRequests() {}

  /** Sends requests of HTTP/1.1, and reads until the server has closed the connection. */
  static void sendHttp(int port, String secret) throws IOException {
    var text = new StringBuilder();
    for (int i = 1; i < COUNT; i++) { // both have a body; the second is read and changes nothing
      text.append(post(i % 2 == 0 ? "models/%2F/infer" : "logging", secret, ""));
    }
    text.append(post("models/%2F/infer", secret, "Connection: close\r\n"));
    try (Socket socket = connect(port)) {
      socket.getOutputStream().write(text.toString().getBytes(US_ASCII));
      if (socket.getInputStream().readAllBytes().length == 0) {
        throw new EOFException("the server has closed a connection without a response");
      }
    }
  }

  private static String post(String path, String secret, String header) {
    return "POST /v2/%s HTTP/1.1\r\nHost: localhost\r\n%s: %s\r\nContent-Length: 2\r\n%s\r\n{}"
        .formatted(path, HEADER, secret, header);
  }

  /** Sends calls of ModelInfer, and reads until each has ended. */
  static void sendGrpc(int port, String secret) throws IOException {
    var calls = new ByteArrayOutputStream();
    calls.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII));
    calls.writeBytes(frame(SETTINGS, 0, 0));
    byte[] message = ModelInferRequest.newBuilder().setModelName(MODEL).build().toByteArray();
    ByteBuffer prefixed = ByteBuffer.allocate(1 + Integer.BYTES + message.length);
    prefixed.put((byte) 0).putInt(message.length).put(message); // not compressed
    for (int stream = 1; stream < 2 * COUNT; stream += 2) {
      calls.writeBytes(frame(HEADERS, END_HEADERS, stream, headers(secret)));
      calls.writeBytes(frame(DATA, END_STREAM, stream, prefixed.array()));
    }
    try (Socket socket = connect(port)) {
      socket.getOutputStream().write(calls.toByteArray());
      var input = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
      for (int ended = 0; ended < COUNT; ) {
        int lengthAndType = input.readInt();
        int flags = input.readUnsignedByte();
        input.skipNBytes(STREAM_SIZE + (lengthAndType >>> 8));
        if ((lengthAndType & 0xff) == HEADERS && (flags & END_STREAM) != 0) {
          ended++;
        }
      }
    }
  }

  private static byte[] frame(int type, int flags, int stream, byte... payload) {
    return ByteBuffer.allocate(Integer.BYTES + 1 + STREAM_SIZE + payload.length)
        .putInt(payload.length << 8 | type)
        .put((byte) flags)
        .putInt(stream)
        .put(payload)
        .array();
  }

  /** The header block of a call (RFC 7541): literals without indexing. */
  private static byte[] headers(String secret) {
    var block = new ByteArrayOutputStream();
    String[] namesAndValues = {
      ":method",
      "POST",
      ":scheme",
      "http",
      ":path",
      "/inference.GRPCInferenceService/ModelInfer",
      ":authority",
      "localhost",
      "te",
      "trailers",
      "content-type",
      "application/grpc",
      HEADER,
      secret
    };
    for (int i = 0; i < namesAndValues.length; i++) {
      if (i % 2 == 0) {
        block.write(0);
      }
      block.write(namesAndValues[i].length()); // below 127
      block.writeBytes(namesAndValues[i].getBytes(US_ASCII));
    }
    return block.toByteArray();
  }

  private static Socket connect(int port) throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    return socket;
  }
}

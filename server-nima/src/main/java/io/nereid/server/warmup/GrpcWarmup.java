package io.nereid.server.warmup;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.nereid.protocol.inference.ModelInferRequest;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A connection over which calls of ModelInfer are made: HTTP/2 (RFC 9113) as far as they need it.
 * Not a library's client for the reason that {@link HttpRequests} gives.
 */
final class GrpcWarmup implements RequestConnection {
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int WINDOW_UPDATE = 8;

  private static final int ACK = 1;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;

  private static final int MAX_CALLS = 4;

  /** The bytes of a frame before its payload. */
  private static final int FRAME_HEAD = 9;

  /** Where in them the number of the stream is. */
  private static final int STREAM_ID = 5;

  /** What the window of the connection is widened by: to its largest size. */
  private static final int WINDOW = Integer.MAX_VALUE - 65_535;

  private final Socket socket;
  private final OutputStream output;
  private final DataInputStream input;

  /** The frames of a call with each of the requests: headers, then the message. */
  private final List<byte[]> calls = new ArrayList<>();

  private final byte[] headers = frame(HEADERS, END_HEADERS, headers());
  private int sent;
  private int received;

  /** How many frames of data have come: one for each response, or more. */
  private long messages;

  /**
   * Connects to a server on the loopback address.
   *
   * @param timeout for a response
   * @param requests each less than 16 KiB; a call has the next one each time
   */
  GrpcWarmup(int port, Duration timeout, List<ModelInferRequest> requests) throws IOException {
    for (ModelInferRequest each : requests) {
      byte[] message = frame(DATA, END_STREAM, prefixed(each.toByteArray()));
      calls.add(
          ByteBuffer.allocate(headers.length + message.length).put(headers).put(message).array());
    }
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(Math.toIntExact(timeout.toMillis()));
    output = socket.getOutputStream();
    input = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    output.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII));
    output.write(frame(SETTINGS, 0));
    output.write(
        frame(WINDOW_UPDATE, 0, ByteBuffer.allocate(Integer.BYTES).putInt(WINDOW).array()));
  }

  /** A frame of no stream. */
  private static byte[] frame(int type, int flags, byte... payload) {
    return ByteBuffer.allocate(FRAME_HEAD + payload.length)
        .put((byte) (payload.length >>> 16))
        .putShort((short) payload.length)
        .put((byte) type)
        .put((byte) flags)
        .putInt(0)
        .put(payload)
        .array();
  }

  /** The header block of a call (RFC 7541): literals without indexing. */
  private static byte[] headers() {
    var block = new ByteArrayOutputStream();
    put(block, ":method", "POST");
    put(block, ":scheme", "http");
    put(block, ":path", "/inference.GRPCInferenceService/ModelInfer");
    put(block, ":authority", "localhost");
    put(block, "te", "trailers");
    put(block, "content-type", "application/grpc");
    return block.toByteArray();
  }

  private static void put(ByteArrayOutputStream block, String... nameAndValue) {
    block.write(0);
    for (String text : nameAndValue) {
      block.write(text.length()); // below 127
      block.writeBytes(text.getBytes(US_ASCII));
    }
  }

  /** The message of a call, with the prefix of one that is not compressed. */
  private static byte[] prefixed(byte[] message) {
    return ByteBuffer.allocate(1 + Integer.BYTES + message.length)
        .put((byte) 0)
        .putInt(message.length)
        .put(message)
        .array();
  }

  @Override
  public void send() throws IOException {
    byte[] call = calls.get(sent % calls.size());
    int stream = 2 * sent + 1;
    ByteBuffer.wrap(call).putInt(STREAM_ID, stream).putInt(headers.length + STREAM_ID, stream);
    output.write(call);
    sent++;
  }

  @Override
  public void receive() throws IOException {
    for (boolean ended = false; !ended; ) {
      int lengthAndType = input.readInt();
      int flags = input.readUnsignedByte();
      var _ = input.readInt(); // the stream
      byte[] payload = input.readNBytes(lengthAndType >>> 8);
      switch (lengthAndType & 0xff) {
        case DATA -> messages++;
        case HEADERS -> ended = (flags & END_STREAM) != 0;
        case SETTINGS -> acknowledge(SETTINGS, flags);
        case PING -> acknowledge(PING, flags, payload);
        case WINDOW_UPDATE -> {}
        default -> throw new IOException("unexpected frame: type " + (lengthAndType & 0xff));
      }
    }
    received++;
    if (messages < received) {
      throw new IOException("a call has ended without a response");
    }
  }

  @Override
  public int maxInFlight() {
    return MAX_CALLS;
  }

  private void acknowledge(int type, int flags, byte... payload) throws IOException {
    if ((flags & ACK) == 0) {
      output.write(frame(type, ACK, payload));
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

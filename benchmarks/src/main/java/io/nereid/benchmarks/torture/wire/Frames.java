package io.nereid.benchmarks.torture.wire;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Frames of HTTP/2 as bytes (RFC 9113, sections 3.4, 4.1 and 6; RFC 7541 for header blocks). */
public final class Frames {
  public static final int HEAD_BYTES = 9;
  public static final int MAX_PAYLOAD_BYTES = 1 << 14;
  public static final int END_STREAM = 0x1;
  public static final int END_HEADERS = 0x4;
  public static final int ACK = 0x1;

  public static final int DATA = 0;
  public static final int HEADERS = 1;
  public static final int RST_STREAM = 3;
  public static final int SETTINGS = 4;
  public static final int PING = 6;
  public static final int GOAWAY = 7;
  public static final int WINDOW_UPDATE = 8;
  public static final int CONTINUATION = 9;

  public static final int CANCEL = 8;
  public static final int INITIAL_WINDOW_SIZE = 4;

  private static final int MESSAGE_HEAD_BYTES = 5;
  private static final int LITERAL = 0x00;
  private static final int LITERAL_INDEXED = 0x40;
  private static final int MAX_SEVEN_BITS = 127;

  private Frames() {}

  /** The client's preface with its SETTINGS, an acknowledgement of the server's, and more. */
  public static byte[] begin(byte[]... more) {
    return concatenated(
        Requests.bytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        settings(),
        settingsAck(),
        concatenated(more));
  }

  public static byte[] frame(int type, int flags, int stream, byte[] payload) {
    return ByteBuffer.allocate(HEAD_BYTES + payload.length)
        .putShort((short) (payload.length >> 8))
        .put((byte) payload.length)
        .put((byte) type)
        .put((byte) flags)
        .putInt(stream)
        .put(payload)
        .array();
  }

  /** A SETTINGS frame of pairs of an identifier and a value. */
  public static byte[] settings(int... pairs) {
    var payload = ByteBuffer.allocate(pairs.length * 3);
    for (int i = 0; i < pairs.length; i += 2) {
      payload.putShort((short) pairs[i]).putInt(pairs[i + 1]);
    }
    return frame(SETTINGS, 0, 0, payload.array());
  }

  public static byte[] settingsAck() {
    return frame(SETTINGS, ACK, 0, new byte[0]);
  }

  public static byte[] ping() {
    return frame(PING, 0, 0, new byte[8]);
  }

  public static byte[] reset(int stream) {
    return frame(RST_STREAM, 0, stream, number(CANCEL));
  }

  public static byte[] windowUpdate(int stream, int bytes) {
    return frame(WINDOW_UPDATE, 0, stream, number(bytes));
  }

  /**
   * The headers of a gRPC call of {@code method}, such as {@code ModelInfer}, with further ones of
   * {@link #header}.
   */
  public static byte[] call(int stream, String method, byte[]... more) {
    byte[] block = concatenated(callBlock(method), concatenated(more));
    return frame(HEADERS, END_HEADERS, stream, block);
  }

  /**
   * The only message of a gRPC call, with which the client ends it.
   *
   * @param packed whether it says that the message is compressed
   */
  public static byte[] message(int stream, byte[] message, boolean packed) {
    byte[] data =
        ByteBuffer.allocate(MESSAGE_HEAD_BYTES + message.length)
            .put((byte) (packed ? 1 : 0))
            .putInt(message.length)
            .put(message)
            .array();
    var frames = new ByteArrayOutputStream();
    for (int from = 0; from < data.length; from += MAX_PAYLOAD_BYTES) {
      int to = Math.min(data.length, from + MAX_PAYLOAD_BYTES);
      int flags = to == data.length ? END_STREAM : 0;
      frames.writeBytes(frame(DATA, flags, stream, Arrays.copyOfRange(data, from, to)));
    }
    return frames.toByteArray();
  }

  /** The header block of {@link #call}. */
  public static byte[] callBlock(String method) {
    return concatenated(
        header(":method", "POST"),
        header(":scheme", "http"),
        header(":path", "/inference.GRPCInferenceService/" + method),
        header(":authority", "localhost"),
        header("content-type", "application/grpc"),
        header("te", "trailers"));
  }

  /** A header as a literal that enters no table. */
  public static byte[] header(String name, String value) {
    return literal(LITERAL, name, value);
  }

  /** A header as a literal that enters the dynamic table, as its index 62. */
  public static byte[] indexedHeader(String name, String value) {
    return literal(LITERAL_INDEXED, name, value);
  }

  private static byte[] literal(int kind, String name, String value) {
    var block = new ByteArrayOutputStream();
    block.write(kind);
    for (String text : new String[] {name, value}) {
      writeLength(block, text.length());
      block.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
    }
    return block.toByteArray();
  }

  private static void writeLength(ByteArrayOutputStream block, int length) {
    if (length < MAX_SEVEN_BITS) {
      block.write(length);
      return;
    }
    block.write(MAX_SEVEN_BITS);
    int rest = length - MAX_SEVEN_BITS;
    for (; rest > MAX_SEVEN_BITS; rest >>= 7) {
      block.write((rest & 0x7f) | 0x80);
    }
    block.write(rest);
  }

  public static byte[] concatenated(byte[]... parts) {
    var bytes = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      bytes.writeBytes(part);
    }
    return bytes.toByteArray();
  }

  private static byte[] number(int value) {
    return ByteBuffer.allocate(4).putInt(value).array();
  }
}

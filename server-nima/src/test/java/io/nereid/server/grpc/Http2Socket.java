package io.nereid.server.grpc;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** A client that writes HTTP/2 frame by frame (RFC 9113), also such as no library would write. */
public final class Http2Socket implements AutoCloseable {
  public static final int DATA = 0;
  public static final int HEADERS = 1;
  public static final int PRIORITY = 2;
  public static final int RST_STREAM = 3;
  public static final int SETTINGS = 4;
  public static final int PING = 6;
  public static final int GOAWAY = 7;
  public static final int WINDOW_UPDATE = 8;

  public static final int END_STREAM = 1;
  public static final int ACK = 1;
  public static final int END_HEADERS = 4;

  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  private static final int READ_TIMEOUT_MILLIS = 50_000;

  private final Socket socket;
  private final OutputStream output;
  private final DataInputStream input;
  private final DefaultHttp2HeadersDecoder headers = new DefaultHttp2HeadersDecoder();
  private final Map<Integer, Http2Headers> ends = new HashMap<>();

  /** A frame as it came. */
  @SuppressWarnings("ArrayRecordComponent") // frames are not compared
  public record Frame(int type, int flags, int streamId, byte[] payload) {
    public boolean endsStream() {
      return (type == DATA || type == HEADERS) && (flags & END_STREAM) != 0;
    }

    public int number() {
      return ByteBuffer.wrap(payload).getInt(payload.length - Integer.BYTES);
    }
  }

  public Http2Socket(int port) throws IOException {
    this(port, InetAddress.getLoopbackAddress());
  }

  /**
   * @param local the client's address
   */
  public Http2Socket(int port, InetAddress local) throws IOException {
    this(connected(port, local));
  }

  private Http2Socket(Socket socket) throws IOException {
    this.socket = socket;
    output = socket.getOutputStream();
    input = new DataInputStream(socket.getInputStream());
  }

  private static Socket connected(int port, InetAddress local) throws IOException {
    var socket = new Socket();
    socket.bind(new InetSocketAddress(local, 0));
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    socket.setSoTimeout(READ_TIMEOUT_MILLIS);
    socket.setTcpNoDelay(true);
    return socket;
  }

  /** A connection that has begun with HTTP/2, to whose settings the server has answered. */
  public static Http2Socket open(int port) throws IOException {
    return open(port, InetAddress.getLoopbackAddress());
  }

  /** The same with TLS, where each write is a record, or several. */
  public static Http2Socket open(int port, SSLContext tls) throws IOException {
    Socket plain = connected(port, InetAddress.getLoopbackAddress());
    var encrypted = (SSLSocket) tls.getSocketFactory().createSocket(plain, "test", port, true);
    SSLParameters parameters = encrypted.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {"h2"});
    encrypted.setSSLParameters(parameters);
    return begun(new Http2Socket(encrypted));
  }

  public static Http2Socket open(int port, InetAddress local) throws IOException {
    return begun(new Http2Socket(port, local));
  }

  private static Http2Socket begun(Http2Socket socket) throws IOException {
    socket.begin();
    var _ = socket.await(frame -> frame.type == SETTINGS && frame.flags == ACK);
    return socket;
  }

  public void begin() throws IOException {
    write(PREFACE.getBytes(StandardCharsets.US_ASCII));
    writeFrame(SETTINGS, 0, 0);
  }

  /** Writes bytes as they are. */
  public void write(byte... bytes) throws IOException {
    output.write(bytes);
    output.flush();
  }

  public void writeFrame(int type, int flags, int streamId, byte... payload) throws IOException {
    write(frame(type, flags, streamId, payload.length, payload));
  }

  /** A frame that claims to have {@code length} bytes. */
  public static byte[] frame(int type, int flags, int streamId, int length, byte... payload) {
    return ByteBuffer.allocate(9 + payload.length)
        .put((byte) (length >>> 16))
        .putShort((short) length)
        .put((byte) type)
        .put((byte) flags)
        .putInt(streamId)
        .put(payload)
        .array();
  }

  /** Writes the headers of a call. */
  public void writeCall(int streamId, String method) throws IOException {
    writeFrame(HEADERS, END_HEADERS, streamId, callHeaders(method));
  }

  public static byte[] callHeaders(String method) {
    return callHeaders(method, "identity");
  }

  /** The headers of a call whose messages are compressed. */
  public static byte[] callHeaders(String method, String encoding) {
    var block = new ByteArrayOutputStream();
    putHeader(block, ":method", "POST");
    putHeader(block, ":scheme", "http");
    putHeader(block, ":path", "/" + method);
    putHeader(block, ":authority", "test");
    putHeader(block, "content-type", "application/grpc");
    putHeader(block, "te", "trailers");
    putHeader(block, "grpc-encoding", encoding);
    return block.toByteArray();
  }

  /** A literal header without indexing (RFC 7541, section 6.2.2). */
  public static void putHeader(ByteArrayOutputStream block, String name, String value) {
    block.write(0);
    putText(block, name);
    putText(block, value);
  }

  private static void putText(ByteArrayOutputStream block, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    if (bytes.length < 127) {
      block.write(bytes.length);
    } else {
      block.write(127);
      int rest = bytes.length - 127;
      for (; rest >= 128; rest >>>= 7) {
        block.write((rest & 127) | 128);
      }
      block.write(rest);
    }
    block.writeBytes(bytes);
  }

  /** A gRPC message, in parts that fit into frames. */
  public void writeMessage(int streamId, boolean compressed, byte[] message, boolean last)
      throws IOException {
    byte[] all =
        ByteBuffer.allocate(5 + message.length)
            .put((byte) (compressed ? 1 : 0))
            .putInt(message.length)
            .put(message)
            .array();
    for (int from = 0; from < all.length; from += 16_384) {
      int to = Math.min(all.length, from + 16_384);
      byte[] part = Arrays.copyOfRange(all, from, to);
      writeFrame(DATA, last && to == all.length ? END_STREAM : 0, streamId, part);
    }
  }

  /** Permits the server to send more, on a stream or, with 0, on the connection. */
  public void growWindow(int streamId, int byteSize) throws IOException {
    writeFrame(WINDOW_UPDATE, 0, streamId, ByteBuffer.allocate(4).putInt(byteSize).array());
  }

  /** The next frame; null if the server has closed the connection. */
  public @Nullable Frame read() {
    try {
      byte[] head = new byte[9];
      input.readFully(head);
      var buffer = ByteBuffer.wrap(head);
      int length = ((buffer.get() & 0xFF) << 16) | (buffer.getShort() & 0xFFFF);
      byte[] payload = new byte[length];
      int type = buffer.get();
      int flags = buffer.get();
      int streamId = buffer.getInt();
      input.readFully(payload);
      var frame = new Frame(type, flags, streamId, payload);
      if (type == HEADERS) {
        noteStatus(frame);
      }
      return frame;
    } catch (EOFException | SocketException closed) {
      return null;
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  /** The next frame that fits; frames before it are dropped. */
  public Frame await(Predicate<Frame> wanted) {
    for (Frame frame = read(); frame != null; frame = read()) {
      if (wanted.test(frame)) {
        return frame;
      }
    }
    throw new AssertionError("the server has closed the connection");
  }

  /** Reads until the server closes the connection. */
  public void awaitClose() {
    while (read() != null) {
      // dropped
    }
  }

  /** The status and the text with which a call ends. */
  public String awaitStatus(int streamId) {
    Http2Headers end = awaitEnd(streamId);
    return end.get("grpc-status") + " " + end.get("grpc-message");
  }

  /** Reads up to the end of a call, and returns the headers that have its status. */
  public Http2Headers awaitEnd(int streamId) {
    while (!ends.containsKey(streamId)) {
      if (read() == null) {
        throw new AssertionError("the server has closed the connection");
      }
    }
    return Objects.requireNonNull(ends.remove(streamId));
  }

  /** All header blocks are decoded in their order, as each refers to those before it. */
  private void noteStatus(Frame frame) {
    try {
      Http2Headers block =
          headers.decodeHeaders(frame.streamId, Unpooled.wrappedBuffer(frame.payload));
      if (block.contains("grpc-status")) {
        ends.put(frame.streamId, block);
      }
    } catch (Http2Exception broken) {
      throw new AssertionError("the server has sent a broken header block", broken);
    }
  }

  /** Closes the socket, so that a write which waits for the server fails. */
  public void abort() throws IOException {
    socket.close();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

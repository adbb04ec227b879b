package io.nereid.server.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;

/** A client of one connection that reads the chunks of a response as they come. */
final class EventClient implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 60_000;

  private final Socket socket;
  private final InputStream input;

  /**
   * @param receiveBuffer the bytes that wait for this client in its own machine; 0 for the default
   */
  EventClient(URI server, int receiveBuffer) throws IOException {
    socket = new Socket();
    if (receiveBuffer > 0) {
      socket.setReceiveBufferSize(receiveBuffer);
    }
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getPort()));
    input = new BufferedInputStream(socket.getInputStream());
  }

  /** Posts JSON to a route of the model {@code tokens}. */
  void post(String route, String json) throws IOException {
    send(
        "POST /v2/models/tokens/%s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s"
            .formatted(route, json.getBytes(UTF_8).length, json));
  }

  void send(String bytes) throws IOException {
    socket.getOutputStream().write(bytes.getBytes(UTF_8));
  }

  /** The next line, without its end. */
  String line() throws IOException {
    var line = new ByteArrayOutputStream();
    for (int next = input.read(); next != '\n'; next = input.read()) {
      if (next < 0) {
        throw new EOFException("the connection ended after '" + line.toString(UTF_8) + "'");
      }
      line.write(next);
    }
    return line.toString(UTF_8).stripTrailing();
  }

  /** The head of a response, line by line. */
  String head() throws IOException {
    var head = new StringBuilder();
    for (String line = line(); !line.isEmpty(); line = line()) {
      head.append(line).append('\n');
    }
    return head.toString();
  }

  /** The next chunk; empty at the end of the body. */
  String chunk() throws IOException {
    int size = Integer.parseInt(line(), 16);
    byte[] bytes = input.readNBytes(size);
    if (bytes.length < size) {
      throw new EOFException("a chunk of %d bytes ends after %d".formatted(size, bytes.length));
    }
    line();
    return new String(bytes, UTF_8);
  }

  /** What the server sends until it closes the connection. */
  String rest() throws IOException {
    return new String(input.readAllBytes(), UTF_8);
  }

  /** Sends nothing more. */
  void halfClose() throws IOException {
    socket.shutdownOutput();
  }

  /** Leaves with a reset, as a process that is killed with unread input does. */
  void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

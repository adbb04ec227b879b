package io.nereid.server.warmup;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * A connection over which requests of HTTP are sent, several of them in turn. Not a library's
 * client: in the server's process it would be warmed up too, and where client and server extend the
 * same class, the JVM compiles slower calls.
 */
final class HttpWarmup implements RequestConnection {
  /** Other headers have names that end with this one's. */
  private static final String CONTENT_LENGTH = "\ncontent-length:";

  private static final String HEAD_END = "\r\n\r\n";

  private final Socket socket;
  private final OutputStream output;
  private final InputStream input;
  private final List<byte[]> requests;
  private int sent;

  /**
   * Connects to a server on the loopback address.
   *
   * @param timeout for a response
   * @param requests whole ones; {@link #send} takes the next each time
   */
  HttpWarmup(int port, Duration timeout, List<byte[]> requests) throws IOException {
    this.requests = List.copyOf(requests);
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(Math.toIntExact(timeout.toMillis()));
    output = socket.getOutputStream();
    input = new BufferedInputStream(socket.getInputStream());
  }

  @Override
  public void send() throws IOException {
    output.write(requests.get(sent++ % requests.size()));
  }

  @Override
  public void receive() throws IOException {
    String head = readHead();
    int length = head.indexOf(CONTENT_LENGTH);
    if (!head.startsWith("http/1.1 200 ") || length < 0) {
      throw new IOException("expected status 200 and a length, got: " + head);
    }
    int begin = length + CONTENT_LENGTH.length();
    String bytes = head.substring(begin, head.indexOf('\r', begin)).strip();
    input.skipNBytes(Integer.parseInt(bytes));
  }

  /** The head of a response, in lower case. */
  private String readHead() throws IOException {
    var head = new StringBuilder();
    while (head.indexOf(HEAD_END, head.length() - HEAD_END.length()) < 0) {
      int next = input.read();
      if (next < 0) {
        throw new EOFException("the connection was closed behind: " + head);
      }
      head.append((char) next);
    }
    return head.toString().toLowerCase(Locale.ROOT);
  }

  @Override
  public int maxInFlight() {
    return 1;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

package io.nereid.tools.load.transport;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Arrays;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A keep-alive connection with at most one request in flight. Used by the thread of {@link
 * HttpLoad} only.
 */
final class HttpConnection {
  private final ClientChannel channel;
  private final SelectionKey key;
  private final HttpResponseReader response = new HttpResponseReader();
  private final ByteBuffer[] requests;
  private ByteBuffer request;
  private long dueNanos;
  private boolean busy;

  /**
   * @param tls null for plain text
   * @param requests shared by all connections; only read
   * @throws IOException if the connection fails
   */
  HttpConnection(
      InetSocketAddress server, @Nullable SSLContext tls, Selector selector, ByteBuffer[] requests)
      throws IOException {
    this.requests = Arrays.stream(requests).map(ByteBuffer::duplicate).toArray(ByteBuffer[]::new);
    request = this.requests[0];
    channel = new ClientChannel(server, tls);
    key = channel.register(selector, this);
  }

  /** Whether a request is in flight. */
  boolean busy() {
    return busy;
  }

  /** The time at which the last request was due. */
  long dueNanos() {
    return dueNanos;
  }

  /** The response that {@link #receive} completed. */
  HttpResponseReader response() {
    return response;
  }

  /** Sends the request of that index. */
  void send(long dueNanos, int index) throws IOException {
    this.dueNanos = dueNanos;
    busy = true;
    request = requests[index].rewind();
    flush();
  }

  /** Writes the rest of the request; if the socket is full, the selector calls again. */
  void flush() throws IOException {
    int wanted =
        channel.write(request)
            ? SelectionKey.OP_READ
            : SelectionKey.OP_READ | SelectionKey.OP_WRITE;
    if (key.interestOps() != wanted) {
      key.interestOps(wanted);
    }
  }

  /**
   * Reads the available bytes, and returns whether the response is complete.
   *
   * @param scratch buffer for the bytes
   * @throws IOException if the server closed the connection or violates HTTP
   */
  boolean receive(ByteBuffer scratch) throws IOException {
    if (channel.read(scratch.clear()) < 0) {
      throw new EOFException("the server closed the connection");
    }
    scratch.flip();
    if (!scratch.hasRemaining()) {
      return false;
    }
    if (!busy) {
      throw new ProtocolException("bytes without a request");
    }
    boolean complete = response.read(scratch);
    if (scratch.hasRemaining()) {
      throw new ProtocolException("%d bytes after the response".formatted(scratch.remaining()));
    }
    busy = !complete;
    return complete;
  }

  void close() {
    try {
      channel.close();
    } catch (IOException e) {
      busy = false; // there is nothing else to do
    }
  }
}

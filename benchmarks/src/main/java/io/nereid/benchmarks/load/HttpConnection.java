package io.nereid.benchmarks.load;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * One keep-alive connection with at most one request on it. Only the thread of {@link HttpLoad}
 * comes here.
 */
final class HttpConnection {
  private final SocketChannel channel;
  private final SelectionKey key;
  private final ByteBuffer request;
  private final HttpAnswerReader answer = new HttpAnswerReader();
  private long dueNanos;
  private boolean busy;

  /**
   * @param request shared by all connections, and not written to
   * @throws IOException if the server does not accept
   */
  HttpConnection(InetSocketAddress server, Selector selector, ByteBuffer request)
      throws IOException {
    this.request = request.duplicate();
    channel = SocketChannel.open(server);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.configureBlocking(false);
    key = channel.register(selector, SelectionKey.OP_READ, this);
  }

  /** Whether a request is unanswered. */
  boolean busy() {
    return busy;
  }

  /** When the request on it was due. */
  long dueNanos() {
    return dueNanos;
  }

  /** The answer that {@link #receive} completed. */
  HttpAnswerReader answer() {
    return answer;
  }

  void send(long dueNanos) throws IOException {
    this.dueNanos = dueNanos;
    busy = true;
    request.rewind();
    flush();
  }

  /** Writes on; if the socket is full, the selector says when to come again. */
  void flush() throws IOException {
    channel.write(request);
    int wanted =
        request.hasRemaining()
            ? SelectionKey.OP_READ | SelectionKey.OP_WRITE
            : SelectionKey.OP_READ;
    if (key.interestOps() != wanted) {
      key.interestOps(wanted);
    }
  }

  /**
   * Reads what has come and says whether the answer is complete.
   *
   * @param scratch for the bytes, worth nothing afterwards
   * @throws IOException if the server closed or sent what is no answer
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
      throw new ProtocolException("bytes that nobody asked for");
    }
    boolean complete = answer.read(scratch);
    if (scratch.hasRemaining()) {
      throw new ProtocolException("%d bytes after the answer".formatted(scratch.remaining()));
    }
    busy = !complete;
    return complete;
  }

  /** Closes the socket; a failure to do so leaves nothing to be done. */
  void close() {
    try {
      channel.close();
    } catch (IOException e) {
      busy = false;
    }
  }
}

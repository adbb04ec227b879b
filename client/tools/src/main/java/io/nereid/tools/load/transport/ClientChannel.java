package io.nereid.tools.load.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** A connection that does not block, with or without TLS. Used by one thread. */
final class ClientChannel {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  /** Records of TLS that are read at once. */
  private static final int RECORDS = 4;

  private final SocketChannel channel;
  private final @Nullable SSLEngine engine;

  /** Records of the server, ready to be filled. */
  private final ByteBuffer incoming;

  /** A record for the server, ready to be written. */
  private final ByteBuffer outgoing;

  /**
   * Connects, and shakes hands.
   *
   * @param tls null for plain text
   */
  ClientChannel(InetSocketAddress server, @Nullable SSLContext tls) throws IOException {
    channel = SocketChannel.open(server);
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      engine = tls == null ? null : tls.createSSLEngine();
      int record = engine == null ? 0 : engine.getSession().getPacketBufferSize();
      incoming = ByteBuffer.allocateDirect(RECORDS * record);
      outgoing = ByteBuffer.allocateDirect(record).limit(0);
      if (engine != null) {
        engine.setUseClientMode(true);
        engine.beginHandshake();
        shakeHands(engine);
      }
      channel.configureBlocking(false);
    } catch (IOException failed) {
      channel.close();
      throw failed;
    }
  }

  SelectionKey register(Selector selector, Object attachment) throws IOException {
    return channel.register(selector, SelectionKey.OP_READ, attachment);
  }

  /**
   * Reads what has arrived.
   *
   * @param target has room for {@link #RECORDS} records
   * @return the number of bytes, or -1 at the end
   */
  int read(ByteBuffer target) throws IOException {
    if (engine == null) {
      return channel.read(target);
    }
    int before = target.position();
    int count = channel.read(incoming);
    incoming.flip();
    SSLEngineResult result;
    do {
      result = engine.unwrap(incoming, target);
    } while (result.getStatus() == SSLEngineResult.Status.OK && incoming.hasRemaining());
    incoming.compact();
    boolean ended = count < 0 || result.getStatus() == SSLEngineResult.Status.CLOSED;
    return ended && target.position() == before ? -1 : target.position() - before;
  }

  /** Writes what the socket takes of {@code source}; returns whether that was all. */
  boolean write(ByteBuffer source) throws IOException {
    if (engine == null) {
      channel.write(source);
      return !source.hasRemaining();
    }
    while (outgoing.hasRemaining() || source.hasRemaining()) {
      if (!outgoing.hasRemaining()) {
        wrap(engine, source);
      }
      channel.write(outgoing);
      if (outgoing.hasRemaining()) {
        return false;
      }
    }
    return true;
  }

  private void wrap(SSLEngine tls, ByteBuffer source) throws SSLException {
    outgoing.clear();
    SSLEngineResult result = tls.wrap(source, outgoing);
    outgoing.flip();
    if (result.getStatus() != SSLEngineResult.Status.OK) {
      throw new SSLException("TLS is " + result.getStatus());
    }
  }

  /** While the channel still blocks. */
  private void shakeHands(SSLEngine tls) throws IOException {
    ByteBuffer none = ByteBuffer.allocate(tls.getSession().getApplicationBufferSize());
    for (HandshakeStatus status = tls.getHandshakeStatus();
        status != HandshakeStatus.NOT_HANDSHAKING;
        status = tls.getHandshakeStatus()) {
      switch (status) {
        case NEED_TASK -> tls.getDelegatedTask().run();
        case NEED_WRAP -> {
          wrap(tls, NOTHING);
          channel.write(outgoing);
        }
        default -> unwrap(tls, none);
      }
    }
  }

  private void unwrap(SSLEngine tls, ByteBuffer none) throws IOException {
    incoming.flip();
    SSLEngineResult result = tls.unwrap(incoming, none);
    incoming.compact();
    if (result.getStatus() == SSLEngineResult.Status.CLOSED
        || (result.getStatus() == SSLEngineResult.Status.BUFFER_UNDERFLOW
            && channel.read(incoming) < 0)) {
      throw new SSLException("the server ended the handshake");
    }
  }

  void close() throws IOException {
    channel.close();
  }
}

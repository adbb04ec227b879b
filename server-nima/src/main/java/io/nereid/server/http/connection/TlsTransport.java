package io.nereid.server.http.connection;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.socket.HelidonSocket;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/** A connection with TLS, which Helidon's socket does. */
final class TlsTransport implements Transport {
  /** The largest plain text of a TLS record. */
  private static final int RECORD = 16 << 10;

  private final HelidonSocket socket;
  private final SocketChannel channel;

  /** What is left of the last record. */
  private ByteBuffer record = ByteBuffer.allocate(0);

  TlsTransport(HelidonSocket socket, SocketChannel channel) {
    this.socket = socket;
    this.channel = channel;
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    try {
      while (!record.hasRemaining()) {
        byte[] next = socket.get();
        if (next == null || next.length == 0) { // at the end, or when the client ends the session
          return -1;
        }
        record = ByteBuffer.wrap(next);
      }
    } catch (UncheckedIOException failed) {
      throw new IOException(failed.getCause());
    }
    int count = Math.min(record.remaining(), target.remaining());
    target.put(record.slice().limit(count));
    record.position(record.position() + count);
    return count;
  }

  @Override
  public void write(ByteBuffer... sources) throws IOException {
    try {
      for (ByteBuffer source : sources) {
        while (source.hasRemaining()) {
          byte[] plain = new byte[Math.min(RECORD, source.remaining())];
          source.get(plain);
          socket.write(BufferData.create(plain));
        }
      }
    } catch (UncheckedIOException failed) {
      throw new IOException(failed.getCause());
    }
  }

  /** Ends the input below TLS, which a blocked read notices. */
  @Override
  public void shutdownInput() throws IOException {
    channel.shutdownInput();
  }

  /** Does nothing: TLS has no half-closed state that all clients know. */
  @Override
  public void linger(Duration longest) {}

  @Override
  public void close() throws IOException {
    channel.close();
  }
}

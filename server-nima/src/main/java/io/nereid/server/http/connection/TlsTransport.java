package io.nereid.server.http.connection;

import io.nereid.server.http.limits.Activity;
import io.nereid.server.http.message.Transport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import javax.net.ssl.SSLSocket;

/**
 * A connection with TLS, by the JDK's socket. The handshake is part of the first read, so it has
 * the deadline of the first request.
 *
 * <p>Not by Helidon's: it looks up the name of each client's address, in native code that holds the
 * carrier thread, before it begins a handshake.
 */
final class TlsTransport implements Transport {
  /** The largest plain text of a TLS record. */
  private static final int RECORD = 16 << 10;

  private final SSLSocket socket;

  /** What is below TLS. */
  private final PlainTransport plain;

  private final Activity activity;

  /** The bytes that were read of the present turn. */
  private int inTurn;

  /**
   * @param socket over the channel, which it closes
   * @param activity is told how many bytes were moved
   */
  TlsTransport(SSLSocket socket, SocketChannel channel, Activity activity) {
    this.socket = socket;
    this.plain = new PlainTransport(channel, activity);
    this.activity = activity;
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    if (target.hasArray()) {
      int start = target.arrayOffset() + target.position();
      int count = socket.getInputStream().read(target.array(), start, target.remaining());
      target.position(target.position() + Math.max(0, count));
      activity.moved(Math.max(0, count));
      return count;
    }
    byte[] record = new byte[Math.min(RECORD, target.remaining())];
    int count = socket.getInputStream().read(record);
    target.put(record, 0, Math.max(0, count));
    activity.moved(Math.max(0, count));
    return count;
  }

  /** Reads a record, and lets others run behind so many as a turn is long. */
  @Override
  public int read(ByteBuffer target, long bodySize) throws IOException {
    int count = read(target);
    if (!Turn.isNeeded(bodySize)) {
      return count;
    }
    inTurn += Math.max(0, count);
    if (inTurn >= Turn.BYTES) {
      inTurn = 0;
      Turn.await();
    }
    return count;
  }

  /** No: a handshake is the first that is written. */
  @Override
  public boolean isEstablished() {
    return false;
  }

  /** Fills records across the ends of buffers. */
  @Override
  public void write(ByteBuffer... sources) throws IOException {
    long left = 0;
    for (ByteBuffer source : sources) {
      left += source.remaining();
    }
    byte[] record = new byte[(int) Math.min(RECORD, left)];
    int filled = 0;
    int leftInTurn = left > Turn.BYTES ? Turn.FIRST_BYTES : Turn.BYTES;
    for (ByteBuffer source : sources) {
      while (source.hasRemaining()) {
        int count = Math.min(record.length - filled, source.remaining());
        source.get(record, filled, count);
        filled += count;
        left -= count;
        if (filled == record.length || left == 0) {
          socket.getOutputStream().write(record, 0, filled);
          activity.moved(filled);
          leftInTurn -= filled;
          filled = 0;
          if (leftInTurn <= 0 && left > 0) {
            Turn.await();
            leftInTurn = Turn.BYTES;
          }
        }
      }
    }
  }

  /** Ends the input below TLS, which a blocked read takes for the end. */
  @Override
  public void shutdownInput() throws IOException {
    plain.shutdownInput();
  }

  @Override
  public void linger(Duration longest) throws IOException {
    socket.shutdownOutput();
    plain.linger(longest);
  }

  /** Tells the client that nothing follows: otherwise it could not tell an end from an attack. */
  @Override
  public void finish() throws IOException {
    socket.close();
  }

  /** Closes the channel, and tells the client nothing: that might block. */
  @Override
  public void reset() throws IOException {
    plain.reset();
  }
}

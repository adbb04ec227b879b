package io.nereid.server.http.message;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The input of a connection, with a buffer for heads, chunk sizes and small bodies. Large bodies go
 * past the buffer. Used by the connection's thread.
 */
public final class ConnectionInput {
  private static final int CAPACITY = 8 << 10;

  private final Transport transport;
  private final ReadAhead ahead;

  private byte[] buffer = new byte[CAPACITY];
  private int position;
  private int limit;

  public ConnectionInput(Transport transport) {
    this.transport = transport;
    this.ahead = new ReadAhead(transport);
  }

  /** Reads ahead while a request waits, to notice a disconnect. */
  public ReadAhead ahead() {
    return ahead;
  }

  /** The number of bytes that are buffered. */
  public int buffered() {
    return limit - position;
  }

  /** The buffered byte at {@code index}, from 0. */
  byte at(int index) {
    return buffer[position + index];
  }

  /** Discards buffered bytes. */
  void skip(int count) {
    position += count;
  }

  /** Removes buffered bytes and returns them. */
  byte[] take(int count) {
    position += count;
    return Arrays.copyOfRange(buffer, position - count, position);
  }

  /**
   * Buffers more bytes, at least one; blocks.
   *
   * @return false at the end of the input
   */
  public boolean fill() throws IOException {
    if (position == limit) {
      position = 0;
      limit = 0;
    }
    if (ahead.isPending()) {
      byte[] taken = ahead.take();
      reserve(taken.length);
      System.arraycopy(taken, 0, buffer, limit, taken.length);
      limit += taken.length;
      return taken.length > 0;
    }
    reserve(1);
    int count = transport.read(ByteBuffer.wrap(buffer, limit, buffer.length - limit));
    limit += Math.max(count, 0);
    return count > 0;
  }

  /** Makes room for {@code count} bytes behind the buffered ones. */
  private void reserve(int count) {
    if (buffer.length - limit >= count) {
      return;
    }
    int buffered = buffered();
    byte[] target =
        buffer.length - buffered >= Math.max(count, buffer.length / 2)
            ? buffer
            : new byte[Math.max(2 * buffer.length, buffered + count)];
    System.arraycopy(buffer, position, target, 0, buffered);
    buffer = target;
    position = 0;
    limit = buffered;
  }

  /**
   * Moves bytes to {@code target}: buffered ones first, else straight from the connection; blocks.
   *
   * @param target has room
   * @param most the most bytes that are moved
   * @param bodySize the size of the body that the bytes belong to, as far as it is known
   * @return the number of bytes, or -1 at the end of the input
   */
  int read(ByteBuffer target, long most, long bodySize) throws IOException {
    int room = (int) Math.min(target.remaining(), most);
    if (position == limit) {
      if (!ahead.isPending()) {
        int end = target.limit();
        target.limit(target.position() + room);
        int count = transport.read(target, bodySize);
        target.limit(end);
        return count;
      }
      if (!fill()) {
        return -1;
      }
    }
    int count = Math.min(room, buffered());
    target.put(buffer, position, count);
    position += count;
    return count;
  }
}

package io.nereid.server.http.message;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * The two byte streams of a connection. One thread at a time reads, one at a time writes; any
 * thread may end the input or close.
 */
public interface Transport {
  /**
   * Reads what has arrived, at least one byte; blocks.
   *
   * @param target has room
   * @return the number of bytes, or -1 at the end of the input
   */
  int read(ByteBuffer target) throws IOException;

  /**
   * Reads like {@link #read(ByteBuffer)} a part of a body, in turn with others if it is large or
   * one of many: they may not keep connections with small requests waiting.
   *
   * @param bodySize the size of the body as far as it is known
   */
  int read(ByteBuffer target, long bodySize) throws IOException;

  /** Whether a first write of a few bytes does not wait for the client. */
  boolean isEstablished();

  /** Writes all bytes of the buffers; blocks. */
  void write(ByteBuffer... sources) throws IOException;

  /** Ends the input: a read that blocks, and each that follows, returns -1. */
  void shutdownInput() throws IOException;

  /**
   * Ends the output and discards input, until the client closes: closing a connection with unread
   * input resets it, and the client might not see the last response.
   */
  void linger(Duration longest) throws IOException;

  /** Ends a connection that is used no more; called by its own thread, last. */
  void finish() throws IOException;

  /** Closes the connection, and drops what the client has not read: whatever blocks in it fails. */
  void reset() throws IOException;
}

package io.nereid.server.http;

import io.nereid.server.http.connection.RequestBody;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/** A body as a stream, for decoders of the JDK. */
final class BodyStream extends InputStream {
  private final RequestBody body;
  private boolean ended;

  BodyStream(RequestBody body) {
    this.body = body;
  }

  /** Whether the end of the body was met. */
  boolean hasEnded() {
    return ended;
  }

  @Override
  public int read() throws IOException {
    byte[] single = new byte[1];
    return read(single, 0, 1) < 0 ? -1 : single[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    int count = body.read(ByteBuffer.wrap(target, offset, length));
    ended |= count < 0;
    return count;
  }
}

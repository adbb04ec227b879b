package io.nereid.server.http.message;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;

/** A transport whose input a test supplies; each array is what one read returns. */
record InputOnly(Source source) implements Transport {
  interface Source {
    /** Returns the next bytes, or an empty array at the end of the input. */
    byte[] next() throws IOException;
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    byte[] next = source.next();
    if (next.length == 0) {
      return -1;
    }
    target.put(next);
    return next.length;
  }

  @Override
  public boolean isEstablished() {
    return true;
  }

  @Override
  public void write(ByteBuffer... sources) {
    throw new AssertionError("only the input is tested");
  }

  @Override
  public void shutdownInput() {}

  @Override
  public void linger(Duration longest) {}

  @Override
  public void finish() {}

  @Override
  public void reset() {}
}

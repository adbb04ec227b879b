package io.nereid.server.http.message;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;

/** A transport whose input a test supplies, and that has no output. */
@FunctionalInterface
public interface InputOnly extends Transport {
  /** An input in pieces. */
  interface Source {
    /** Returns the next bytes, or an empty array at the end of the input. */
    byte[] next() throws IOException;
  }

  /** Returns a transport of which each read returns one piece. */
  static InputOnly of(Source source) {
    return target -> {
      byte[] next = source.next();
      if (next.length == 0) {
        return -1;
      }
      target.put(next);
      return next.length;
    };
  }

  @Override
  default int read(ByteBuffer target, long bodySize) throws IOException {
    return read(target);
  }

  @Override
  default boolean isEstablished() {
    return true;
  }

  @Override
  default void write(ByteBuffer... sources) {
    throw new AssertionError("only the input is tested");
  }

  @Override
  default void shutdownInput() {}

  @Override
  default void linger(Duration longest) {}

  @Override
  default void finish() {}

  @Override
  default void reset() {}
}

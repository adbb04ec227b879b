package io.nereid.server.http.message;

import java.nio.ByteBuffer;
import java.util.OptionalLong;

/** The body of a request that declares none. */
final class NoBody implements BodyReader {
  @Override
  public OptionalLong declaredLength() {
    return OptionalLong.of(0);
  }

  @Override
  public int read(ByteBuffer target) {
    return -1;
  }

  @Override
  public long left() {
    return 0;
  }
}

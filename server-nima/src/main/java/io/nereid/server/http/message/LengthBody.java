package io.nereid.server.http.message;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.OptionalLong;

/** A body of {@code Content-Length} bytes. */
final class LengthBody implements BodyReader {
  private final ConnectionInput input;
  private final long length;
  private long left;

  LengthBody(ConnectionInput input, long length) {
    this.input = input;
    this.length = length;
    this.left = length;
  }

  @Override
  public OptionalLong declaredLength() {
    return OptionalLong.of(length);
  }

  @Override
  public long left() {
    return left;
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    if (left == 0) {
      return -1;
    }
    int count = input.read(target, left, length);
    if (count < 0) {
      throw new EOFException(
          "request body ends after %d of %d bytes".formatted(length - left, length));
    }
    left -= count;
    return count;
  }
}

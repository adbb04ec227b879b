package io.nereid.tck.support;

import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A stream that counts the bytes that are read, and keeps the first of them for a log. */
final class KeptInput extends FilterInputStream {
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
  private long byteSize;

  KeptInput(InputStream in) {
    super(in);
  }

  @Override
  public int read() throws IOException {
    int next = super.read();
    if (next >= 0) {
      keep(new byte[] {(byte) next}, 0, 1);
    }
    return next;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    int count = super.read(target, offset, length);
    if (count > 0) {
      keep(target, offset, count);
    }
    return count;
  }

  private void keep(byte[] bytes, int offset, int count) {
    kept.write(bytes, offset, Math.min(count, WireMessage.MAX_BYTES - kept.size()));
    byteSize += count;
  }

  /** What was read since the stream was made, as the response to that request. */
  WireMessage response(String call) {
    return new WireMessage(false, call, "", kept.toByteArray(), byteSize, "");
  }
}

package io.nereid.server.http.body;

import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The bytes of a segment as a stream, for decoders of the JDK. */
final class SegmentStream extends InputStream {
  private final MemorySegment bytes;
  private long position;

  /**
   * @param bytes borrowed while the stream is read
   */
  SegmentStream(MemorySegment bytes) {
    this.bytes = bytes;
  }

  @Override
  public int read() {
    return position == bytes.byteSize() ? -1 : bytes.get(ValueLayout.JAVA_BYTE, position++) & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) {
    if (length == 0) {
      return 0;
    }
    int count = (int) Math.min(length, bytes.byteSize() - position);
    if (count == 0) {
      return -1;
    }
    MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, position, target, offset, count);
    position += count;
    return count;
  }

  /** Whether there are further bytes: a gzip stream may be followed by another. */
  @Override
  public int available() {
    return (int) Math.min(Integer.MAX_VALUE, bytes.byteSize() - position);
  }
}

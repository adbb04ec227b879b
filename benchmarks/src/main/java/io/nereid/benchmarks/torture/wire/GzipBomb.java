package io.nereid.benchmarks.torture.wire;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** A gzip file (RFC 1952) of zeros that is a thousandth of its content. */
public final class GzipBomb {
  private static final int BLOCK_BYTES = 1 << 20;
  private static final byte[] HEAD = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, (byte) 0xff};

  private GzipBomb() {}

  /** A file that unpacks to about {@code byteSize} zeros. */
  public static byte[] of(long byteSize) {
    long blocks = Math.max(1, byteSize / BLOCK_BYTES);
    byte[] zeros = new byte[BLOCK_BYTES];
    byte[] block = deflated(zeros);
    var crc = new CRC32();
    var file = new ByteArrayOutputStream();
    file.writeBytes(HEAD);
    for (long i = 0; i < blocks; i++) {
      file.writeBytes(block);
      crc.update(zeros);
    }
    file.writeBytes(new byte[] {3, 0}); // an empty last block
    file.writeBytes(
        ByteBuffer.allocate(8)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt((int) crc.getValue())
            .putInt((int) (blocks * BLOCK_BYTES))
            .array());
    return file.toByteArray();
  }

  /**
   * A full flush ends the block at a byte and refers to nothing before it, so it can be repeated.
   */
  private static byte[] deflated(byte[] content) {
    var target = new byte[BLOCK_BYTES];
    try (var deflater = new Deflater(Deflater.BEST_COMPRESSION, true)) {
      deflater.setInput(content);
      int length = deflater.deflate(target, 0, target.length, Deflater.FULL_FLUSH);
      return Arrays.copyOf(target, length);
    }
  }
}

package io.nereid.benchmarks.torture.wire;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** Bytes of which most are the same ones again and again. */
public final class RepeatedBytes {
  private static final int PIECE_BYTES = 1 << 20;
  private static final byte[] NONE = {};
  private static final byte[] GZIP_HEAD = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, (byte) 0xff};
  private static final byte[] EMPTY_LAST_BLOCK = {3, 0};

  private final byte[] begin;
  private final byte[] end;
  private final long byteSize;

  /** As many copies as there are in a whole piece, of which there are {@code pieces}. */
  private final byte[] piece;

  private final long pieces;

  /** The copies behind the whole pieces. */
  private final byte[] rest;

  /**
   * @param count how often {@code repeated} comes
   */
  public RepeatedBytes(byte[] begin, byte[] repeated, long count, byte[] end) {
    int copies = (int) Math.clamp(PIECE_BYTES / repeated.length, 1, Math.max(1, count));
    this.begin = begin;
    this.end = end;
    byteSize = begin.length + repeated.length * count + end.length;
    piece = new byte[copies * repeated.length];
    for (int i = 0; i < copies; i++) {
      System.arraycopy(repeated, 0, piece, i * repeated.length, repeated.length);
    }
    pieces = count / copies;
    rest = Arrays.copyOf(piece, (int) (count % copies) * repeated.length);
  }

  public static RepeatedBytes once(byte[] bytes) {
    return new RepeatedBytes(bytes, new byte[1], 0, NONE);
  }

  public static RepeatedBytes zeros(long count) {
    return new RepeatedBytes(NONE, new byte[1], count, NONE);
  }

  /** {@code begin}, {@code count} times {@code repeated}, and {@code end}. */
  public static RepeatedBytes of(String begin, String repeated, long count, String end) {
    return new RepeatedBytes(
        Requests.bytes(begin), Requests.bytes(repeated), count, Requests.bytes(end));
  }

  public long byteSize() {
    return byteSize;
  }

  public byte[] bytes() {
    var target = new ByteArrayOutputStream(Math.toIntExact(byteSize));
    target.writeBytes(begin);
    for (long i = 0; i < pieces; i++) {
      target.writeBytes(piece);
    }
    target.writeBytes(rest);
    target.writeBytes(end);
    return target.toByteArray();
  }

  /** A gzip file (RFC 1952) of them, about a thousandth of their size. */
  public byte[] gzip() {
    var sum = new CRC32();
    var file = new ByteArrayOutputStream();
    file.writeBytes(GZIP_HEAD);
    file.writeBytes(deflated(begin));
    sum.update(begin);
    byte[] block = deflated(piece);
    for (long i = 0; i < pieces; i++) {
      file.writeBytes(block);
      sum.update(piece);
    }
    for (byte[] part : new byte[][] {rest, end}) {
      file.writeBytes(deflated(part));
      sum.update(part);
    }
    file.writeBytes(EMPTY_LAST_BLOCK);
    file.writeBytes(
        ByteBuffer.allocate(Long.BYTES)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt((int) sum.getValue())
            .putInt((int) byteSize)
            .array());
    return file.toByteArray();
  }

  /**
   * A full flush ends the block at a byte and refers to nothing before it, so it can be repeated.
   */
  private static byte[] deflated(byte[] content) {
    if (content.length == 0) {
      return content;
    }
    var target = new byte[content.length + content.length / 100 + 100];
    try (var deflater = new Deflater(Deflater.BEST_COMPRESSION, /* nowrap= */ true)) {
      deflater.setInput(content);
      int length = deflater.deflate(target, 0, target.length, Deflater.FULL_FLUSH);
      return Arrays.copyOf(target, length);
    }
  }
}

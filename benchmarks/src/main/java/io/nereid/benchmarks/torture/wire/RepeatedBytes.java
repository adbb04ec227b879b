package io.nereid.benchmarks.torture.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** Bytes of which most are the same ones again and again. */
public final class RepeatedBytes {
  private static final int PIECE_BYTES = 1 << 16;

  private final byte[] begin;
  private final byte[] repeated;
  private final long count;
  private final byte[] end;

  /**
   * @param count how often {@code repeated} comes
   */
  public RepeatedBytes(byte[] begin, byte[] repeated, long count, byte[] end) {
    this.begin = begin;
    this.repeated = repeated;
    this.count = count;
    this.end = end;
  }

  public static RepeatedBytes once(byte[] bytes) {
    return new RepeatedBytes(bytes, new byte[1], 0, new byte[0]);
  }

  /** {@code begin}, {@code count} times {@code repeated}, and {@code end}. */
  public static RepeatedBytes of(String begin, String repeated, long count, String end) {
    return new RepeatedBytes(
        Requests.bytes(begin), Requests.bytes(repeated), count, Requests.bytes(end));
  }

  public long byteSize() {
    return begin.length + repeated.length * count + end.length;
  }

  /** The bytes themselves. */
  public byte[] bytes() {
    var target = new ByteArrayOutputStream(Math.toIntExact(byteSize()));
    writeTo(target);
    return target.toByteArray();
  }

  /** A gzip file (RFC 1952) of them, about a thousandth of their size. */
  public byte[] gzip() {
    var target = new ByteArrayOutputStream();
    try (var gzip = new BestGzip(target)) {
      writeTo(gzip);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return target.toByteArray();
  }

  private void writeTo(OutputStream target) {
    try {
      target.write(begin);
      int most = (int) Math.clamp(PIECE_BYTES / repeated.length, 1, Math.max(1, count));
      byte[] piece = piece(most);
      long left = count;
      for (; left >= most; left -= most) {
        target.write(piece);
      }
      target.write(piece, 0, (int) left * repeated.length);
      target.write(end);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private byte[] piece(int copies) {
    byte[] piece = new byte[copies * repeated.length];
    for (int i = 0; i < copies; i++) {
      System.arraycopy(repeated, 0, piece, i * repeated.length, repeated.length);
    }
    return piece;
  }

  private static final class BestGzip extends GZIPOutputStream {
    BestGzip(OutputStream target) throws IOException {
      super(target, PIECE_BYTES);
      def.setLevel(Deflater.BEST_COMPRESSION);
    }
  }
}

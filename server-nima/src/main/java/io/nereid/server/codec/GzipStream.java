package io.nereid.server.codec;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipException;

/**
 * What gzip data decompresses to (RFC 1952). The members are read in a loop, with a limit of their
 * number: a stream of the JDK calls itself for each, and hundreds of kilobytes of empty members
 * overflow its stack. As with the JDK, bytes behind the last member that begin no other are
 * ignored. For one thread.
 */
public final class GzipStream extends InflaterInputStream {
  /** Some ten milliseconds of headers; tools that write many members put 64 KiB into each. */
  static final int MAX_MEMBERS = 100_000;

  private static final int BUFFER_SIZE = 16 << 10;
  private static final int MAGIC = 0x1F8B;
  private static final int DEFLATE = 8;

  /** The flags of a header. */
  private static final int HAS_CRC = 2;

  private static final int HAS_EXTRA = 4;
  private static final int HAS_NAME = 8;
  private static final int HAS_COMMENT = 16;
  private static final int RESERVED = 0xE0;

  /** Where the unread part of the buffer begins, outside of a member's data. */
  private int from;

  /** Of the header, then of what the member decompresses to. */
  private final CRC32 crc = new CRC32();

  private int members;
  private boolean inMember;
  private boolean ended;

  /**
   * @param source closed with this
   */
  public GzipStream(InputStream source) {
    super(source, new Inflater(true), BUFFER_SIZE);
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    while (length > 0 && !ended) {
      if (!inMember) {
        ended = !beginMember();
        continue;
      }
      int count = super.read(target, offset, length);
      if (count >= 0) {
        crc.update(target, offset, count);
        return count;
      }
      if (inf.needsDictionary()) {
        throw new ZipException("a gzip member needs a dictionary");
      }
      endMember();
    }
    return length == 0 ? 0 : -1;
  }

  /** Whether another member begins; what comes after it begins no other is ignored. */
  private boolean beginMember() throws IOException {
    try {
      readHeader();
    } catch (ZipException | EOFException noHeader) {
      if (members == 0) {
        throw noHeader;
      }
      return false;
    }
    if (++members > MAX_MEMBERS) {
      throw new ZipException("it has more than %d gzip members".formatted(MAX_MEMBERS));
    }
    crc.reset();
    inf.reset();
    inf.setInput(buf, from, len - from);
    inMember = true;
    return true;
  }

  private void readHeader() throws IOException {
    crc.reset();
    if (next() << 8 != (MAGIC & 0xFF00) || next() != (MAGIC & 0xFF)) {
      throw new ZipException("Not in GZIP format");
    }
    if (next() != DEFLATE) {
      throw new ZipException("Unsupported compression method");
    }
    int flags = next();
    if ((flags & RESERVED) != 0) {
      throw new ZipException("Corrupt GZIP header");
    }
    skip(6); // the time, and how and where it was compressed
    if ((flags & HAS_EXTRA) != 0) {
      skip(next() | next() << 8);
    }
    if ((flags & HAS_NAME) != 0) {
      skipText();
    }
    if ((flags & HAS_COMMENT) != 0) {
      skipText();
    }
    if ((flags & HAS_CRC) != 0) {
      int expected = (int) crc.getValue() & 0xFFFF;
      if ((next() | next() << 8) != expected) {
        throw new ZipException("Corrupt GZIP header");
      }
    }
  }

  private void endMember() throws IOException {
    long checksum = crc.getValue();
    long byteSize = inf.getBytesWritten() & 0xFFFF_FFFFL;
    from = len - inf.getRemaining();
    if (nextInt() != checksum || nextInt() != byteSize) {
      throw new ZipException("Corrupt GZIP trailer");
    }
    inMember = false;
  }

  private long nextInt() throws IOException {
    return next() | next() << 8 | next() << 16 | (long) next() << 24;
  }

  private void skip(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      var _ = next();
    }
  }

  private void skipText() throws IOException {
    while (next() != 0) {
      // up to its end
    }
  }

  private int next() throws IOException {
    if (from == len) {
      fill();
      from = 0;
    }
    crc.update(buf[from]);
    return buf[from++] & 0xFF;
  }

  @Override
  public void close() throws IOException {
    inf.end();
    super.close();
  }
}

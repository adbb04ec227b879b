package io.nereid.server.codec;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import java.util.zip.ZipException;

/**
 * What gzip data decompresses to (RFC 1952). The members are read in a loop, with a limit of their
 * number: a stream of the JDK calls itself for each, and hundreds of kilobytes of empty members
 * overflow its stack. As with the JDK, bytes behind the last member that begin no other are
 * ignored. For one thread.
 */
public final class GzipStream extends InputStream {
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

  private final InputStream source;
  private final Inflater inflater = new Inflater(true);
  private final byte[] buffer = new byte[BUFFER_SIZE];

  /** The unread part of the buffer. */
  private int from;

  private int to;

  /** Of the header, then of what the member decompresses to. */
  private final CRC32 crc = new CRC32();

  private int members;
  private boolean inMember;
  private boolean ended;

  /**
   * @param source closed with this
   */
  public GzipStream(InputStream source) {
    this.source = source;
  }

  @Override
  public int read() throws IOException {
    byte[] single = new byte[1];
    return read(single, 0, 1) < 0 ? -1 : single[0] & 0xFF;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    while (!ended) {
      if (!inMember) {
        ended = !beginMember();
      } else if (inflater.finished()) {
        endMember();
      } else {
        int count = inflate(target, offset, length);
        if (count > 0) {
          return count;
        }
      }
    }
    return -1;
  }

  private int inflate(byte[] target, int offset, int length) throws IOException {
    try {
      int count = inflater.inflate(target, offset, length);
      crc.update(target, offset, count);
      if (count == 0 && inflater.needsInput()) {
        fill();
        inflater.setInput(buffer, 0, to);
      } else if (count == 0 && inflater.needsDictionary()) {
        throw new ZipException("a gzip member needs a dictionary");
      }
      return count;
    } catch (DataFormatException corrupt) {
      String reason = corrupt.getMessage();
      throw new ZipException(reason == null ? "Invalid ZLIB data format" : reason);
    }
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
    inflater.reset();
    inflater.setInput(buffer, from, to - from);
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
    long byteSize = inflater.getBytesWritten() & 0xFFFF_FFFFL;
    from = to - inflater.getRemaining();
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
    if (from == to) {
      fill();
    }
    crc.update(buffer[from]);
    return buffer[from++] & 0xFF;
  }

  private void fill() throws IOException {
    int count = source.read(buffer, 0, buffer.length);
    if (count < 0) {
      throw new EOFException("Unexpected end of ZLIB input stream");
    }
    from = 0;
    to = count;
  }

  @Override
  public void close() throws IOException {
    inflater.end();
    source.close();
  }
}

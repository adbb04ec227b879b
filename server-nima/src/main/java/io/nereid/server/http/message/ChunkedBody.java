package io.nereid.server.http.message;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.OptionalLong;

/**
 * A body in chunks (RFC 9112, section 7.1). Extensions and trailers are read within a limit and
 * ignored. Each line must end with CRLF, and each chunk too.
 */
final class ChunkedBody implements BodyReader {
  /** The longest line of a chunk's size, and the most bytes of trailers. */
  private static final int MAX_LINE = 4 << 10;

  /** Triton's limit: each chunk costs more than its bytes. */
  private static final int MAX_CHUNKS = 65_536;

  /** The largest size that another digit may follow. */
  private static final long MAX_SIZE = Long.MAX_VALUE >> 8;

  private enum Stage {
    SIZE,
    DATA,
    END
  }

  private final ConnectionInput input;
  private Stage stage = Stage.SIZE;
  private int chunks;

  /** The bytes that have come. */
  private long size;

  /** The unread bytes of this chunk. */
  private long left;

  ChunkedBody(ConnectionInput input) {
    this.input = input;
  }

  @Override
  public OptionalLong declaredLength() {
    return OptionalLong.empty();
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    if (stage == Stage.SIZE) {
      readSize();
    }
    if (stage == Stage.END) {
      return -1;
    }
    int count = input.read(target, left, size);
    if (count < 0) {
      throw early();
    }
    size += count;
    left -= count;
    if (left == 0) {
      readChunkEnd();
      stage = Stage.SIZE;
      if (endHasArrived()) {
        readSize();
      }
    }
    return count;
  }

  private boolean endHasArrived() {
    return input.buffered() >= 5
        && input.at(0) == '0'
        && input.at(1) == '\r'
        && input.at(2) == '\n'
        && input.at(3) == '\r'
        && input.at(4) == '\n';
  }

  @Override
  public long left() {
    return stage == Stage.END ? 0 : Long.MAX_VALUE;
  }

  /** Reads the line of a chunk's size, and behind the last chunk the trailers. */
  private void readSize() throws IOException {
    int lineSize = awaitLine();
    int digits = 0;
    long length = 0;
    for (; Character.digit(input.at(digits), 16) >= 0; digits++) {
      if (length > MAX_SIZE) {
        throw BadRequestException.malformed("a chunk of the request body is too large");
      }
      length = length << 4 | Character.digit(input.at(digits), 16);
    }
    if (digits == 0 || !isExtension(digits, lineSize)) {
      throw BadRequestException.malformed("a chunk of the request body has a malformed size");
    }
    input.skip(lineSize);
    if (length == 0) {
      readTrailers();
      stage = Stage.END;
      return;
    }
    if (++chunks > MAX_CHUNKS) {
      throw BadRequestException.malformed(
          ("Chunked request body exceeds maximum of %d non-empty chunks. Send fewer or larger"
                  + " HTTP chunks.")
              .formatted(MAX_CHUNKS));
    }
    left = length;
    stage = Stage.DATA;
  }

  /** Whether a line is over behind a size, or has an extension or blanks. */
  private boolean isExtension(int from, int lineSize) {
    int index = from;
    while (input.at(index) == ' ' || input.at(index) == '\t') {
      index++;
    }
    if (index != lineSize - 2 && input.at(index) != ';') {
      return false;
    }
    for (; index < lineSize - 2; index++) {
      byte value = input.at(index);
      if ((value >= 0 && value < ' ' && value != '\t') || value == 0x7f) {
        return false;
      }
    }
    return true;
  }

  private void readChunkEnd() throws IOException {
    while (input.buffered() < 2) {
      if (!input.fill()) {
        throw early();
      }
    }
    if (input.at(0) != '\r' || input.at(1) != '\n') {
      throw BadRequestException.malformed("a chunk of the request body does not end with CRLF");
    }
    input.skip(2);
  }

  private void readTrailers() throws IOException {
    int left = MAX_LINE;
    while (true) {
      int lineSize = awaitLine();
      left -= lineSize;
      if (left < 0) {
        throw new BadRequestException(
            431, "the trailers of the request body are larger than %d bytes".formatted(MAX_LINE));
      }
      if (lineSize > 2) {
        requireField();
      }
      input.skip(lineSize);
      if (lineSize == 2) {
        return;
      }
    }
  }

  /** Checks that a line begins with a name: it may be the request of a client that lost count. */
  private void requireField() throws BadRequestException {
    int index = 0;
    while (HeadReader.isToken(input.at(index))) {
      index++;
    }
    if (index == 0 || input.at(index) != ':') {
      throw BadRequestException.malformed("a trailer of the request body is not '<name>: <value>'");
    }
  }

  /** Returns the size of the next line, with its end, once it is buffered. */
  private int awaitLine() throws IOException {
    int index = 0;
    while (true) {
      while (index < input.buffered()) {
        if (input.at(index) == '\n') {
          if (index == 0 || input.at(index - 1) != '\r') {
            throw BadRequestException.malformed(
                "a line between chunks of the request body does not end with CRLF");
          }
          return index + 1;
        }
        if (index == MAX_LINE) {
          throw BadRequestException.malformed(
              "a line between chunks of the request body is longer than %d bytes"
                  .formatted(MAX_LINE));
        }
        index++;
      }
      if (!input.fill()) {
        throw early();
      }
    }
  }

  private static EOFException early() {
    return new EOFException("the request body ends before its last chunk");
  }
}

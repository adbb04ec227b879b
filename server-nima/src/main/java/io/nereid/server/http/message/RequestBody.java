package io.nereid.server.http.message;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.OptionalLong;

/** The body of a request, read once, from its beginning to its end, by the connection's thread. */
public final class RequestBody {
  private final BodyReader reader;
  private final BodyProgress progress;
  private long readBytes;

  public RequestBody(BodyReader reader, BodyProgress progress) {
    this.reader = reader;
    this.progress = progress;
  }

  /** Whether the request declares no body, or one without bytes. */
  public boolean isAbsent() {
    return reader instanceof NoBody;
  }

  /** The length that the head declares, 0 if there is no body; empty if the body is chunked. */
  public OptionalLong declaredLength() {
    return reader.declaredLength();
  }

  /** How many bytes were read so far. */
  public long readBytes() {
    return readBytes;
  }

  /**
   * Moves what has arrived of the body to {@code target}, at least one byte; blocks.
   *
   * @param target has room; a direct buffer is filled without a copy
   * @return the number of bytes, or -1 at the end of the body
   * @throws java.io.EOFException if the connection ends within the body
   * @throws BadRequestException if the body is malformed
   */
  public int read(ByteBuffer target) throws IOException {
    if (reader.isRead()) {
      return -1;
    }
    progress.bodyIsWanted();
    int count = reader.read(target);
    readBytes += Math.max(count, 0);
    if (reader.isRead()) {
      progress.requestIsRead();
    }
    return count;
  }
}

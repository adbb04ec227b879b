package io.nereid.server.http.body;

import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.json.JsonParts;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/** Compresses a body part by part, or leaves it as it is. For one thread at a time. */
final class PartEncoder implements AutoCloseable {
  /** The text that is compressed at once, and as much as a part is made of at most. */
  private static final int TEXT = 16 << 10;

  private static final int MOST_TEXT = 1 << 20;

  private final JsonParts parts;
  private final Target target = new Target();

  private final ContentEncoding encoding;

  /** Null before the first part. */
  private @Nullable OutputStream compressing;

  PartEncoder(JsonParts parts, ContentEncoding encoding) {
    this.parts = parts;
    this.encoding = encoding;
  }

  /**
   * Writes the next part, which may be empty.
   *
   * @return whether more is left
   */
  boolean writeNext(ByteSink sink, int end) throws IOException {
    if (encoding == ContentEncoding.IDENTITY) {
      return parts.writeNext(sink, end);
    }
    target.sink = sink;
    OutputStream stream = compressing == null ? encoding.compressing(target) : compressing;
    compressing = stream;
    var text = new ByteSink(TEXT + JsonParts.SLACK);
    int taken = 0;
    while (sink.size() < end && taken < MOST_TEXT) {
      text.clear();
      boolean hasMore = parts.writeNext(text, TEXT);
      stream.write(text.array(), 0, text.size());
      taken += text.size();
      if (!hasMore) {
        stream.close();
        return false;
      }
    }
    return true;
  }

  /** Frees the memory of the compression. */
  @Override
  public void close() throws IOException {
    if (compressing != null) {
      target.sink = new ByteSink(TEXT); // for the end of a body that was given up
      compressing.close();
    }
  }

  /** Writes to the sink of the present part. */
  private static final class Target extends OutputStream {
    private ByteSink sink = new ByteSink(0);

    @Override
    public void write(int octet) {
      sink.put(octet);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
      byte[] room = sink.reserve(length);
      System.arraycopy(bytes, offset, room, sink.size(), length);
      sink.fillTo(sink.size() + length);
    }
  }
}

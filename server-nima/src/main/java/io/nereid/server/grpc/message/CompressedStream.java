package io.nereid.server.grpc.message;

import io.grpc.Detachable;
import io.grpc.Status;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * A compressed message as gRPC passes it to a marshaller: wrapped in a stream of its own. {@link
 * #detach} gets behind that, so that the message can be decompressed later, by another thread. A
 * marshaller that just reads gets the decompressed message, if it is short.
 */
final class CompressedStream extends InputStream {
  /** The most that is decompressed for methods other than inference. */
  private static final int MAX_READ = 1 << 20;

  /** Where a stream puts itself that is read while this is bound. */
  private static final ScopedValue<Found> SEARCH = ScopedValue.newInstance();

  private final InputStream compressed;
  private final MessageEncoding encoding;
  private @Nullable InputStream content;
  private int read;

  private static final class Found {
    private @Nullable CompressedStream stream;
  }

  CompressedStream(InputStream compressed, MessageEncoding encoding) {
    this.compressed = compressed;
    this.encoding = encoding;
  }

  /**
   * Takes the compressed bytes out of a stream of gRPC.
   *
   * @param wrapper a stream that reads of a compressed stream
   * @return the same bytes, owned by the caller
   */
  static Detached detach(InputStream wrapper) throws IOException {
    var found = new Found();
    ScopedValue.where(SEARCH, found).call(wrapper::read);
    CompressedStream stream = found.stream;
    if (stream == null) {
      throw new IllegalArgumentException("not of a compressed message: " + wrapper);
    }
    return new Detached(((Detachable) stream.compressed).detach(), stream.encoding);
  }

  /** Compressed bytes, and how to read them. */
  record Detached(InputStream bytes, MessageEncoding encoding) {}

  @Override
  public int read() throws IOException {
    if (SEARCH.isBound()) {
      SEARCH.get().stream = this;
      return 0;
    }
    byte[] single = new byte[1];
    return read(single, 0, 1) < 0 ? -1 : single[0] & 0xFF;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (content == null) {
      content = encoding.open(compressed);
    }
    int count = content.read(target, offset, length);
    read += Math.max(0, count);
    if (read > MAX_READ) {
      throw Status.RESOURCE_EXHAUSTED
          .withDescription("the message decompresses to more than %d bytes".formatted(MAX_READ))
          .asRuntimeException();
    }
    return count;
  }

  @Override
  public void close() throws IOException {
    if (content == null) {
      compressed.close();
    } else {
      content.close();
    }
  }
}

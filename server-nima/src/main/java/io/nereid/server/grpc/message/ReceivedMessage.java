package io.nereid.server.grpc.message;

import io.grpc.Detachable;
import io.nereid.server.codec.protobuf.ProtoInput;
import io.nereid.server.codec.protobuf.UnreadMessage;
import io.nereid.server.grpc.message.CompressedStream.Detached;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A message in gRPC's buffers, which it owns. */
final class ReceivedMessage implements UnreadMessage {
  /** The most that an event loop copies at a time: some 2 ms. */
  private static final int MAX_SHORT = 4 << 20;

  private final InputStream bytes;
  private final long byteSize;

  /** What is read unless the stream has buffers. */
  private final @Nullable StreamChunks content;

  private final boolean compressed;
  private final long maxByteSize;

  private ReceivedMessage(InputStream bytes, @Nullable MessageEncoding encoding, long maxByteSize)
      throws IOException {
    this.bytes = bytes;
    this.byteSize = bytes.available();
    this.content =
        BufferChunks.areIn(bytes) && encoding == null ? null : new StreamChunks(bytes, encoding);
    this.compressed = encoding != null;
    this.maxByteSize = maxByteSize;
  }

  /**
   * Takes a message out of a stream of gRPC.
   *
   * @param maxByteSize the most that it may decompress to
   */
  static ReceivedMessage detach(InputStream stream, long maxByteSize) throws IOException {
    if (stream instanceof Detachable whole) {
      return new ReceivedMessage(whole.detach(), null, maxByteSize);
    }
    Detached compressed = CompressedStream.detach(stream);
    return new ReceivedMessage(compressed.bytes(), compressed.encoding(), maxByteSize);
  }

  @Override
  public ProtoInput open() {
    if (compressed) {
      return ProtoInput.upTo(Objects.requireNonNull(content), maxByteSize);
    }
    return new ProtoInput(content == null ? new BufferChunks(bytes) : content, byteSize);
  }

  @Override
  public long byteSize() {
    return byteSize;
  }

  @Override
  public boolean isLong() {
    return compressed || byteSize > MAX_SHORT;
  }

  @Override
  public void close() {
    try {
      if (content == null) {
        bytes.close();
      } else {
        content.close();
      }
    } catch (IOException impossible) {
      throw new UncheckedIOException("buffers are closed without input or output", impossible);
    }
  }
}

package io.nereid.server.http;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataReader;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.common.socket.NioSocket;
import io.helidon.http.media.ReadableEntity;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.ServerConnectionException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A source of bytes between a socket and Helidon's reader that moves large bodies from the socket
 * to native memory, and back, without Helidon's copies.
 *
 * <p>Helidon reads a socket in arrays of 8 KiB and copies each four times before it is in native
 * memory; for a tensor of 600 KB these copies cost more than the rest of the request. This class
 * passes arrays on while heads and small bodies are read. While it reads a large body, it fills the
 * body's memory from the socket and passes filler of the same length to Helidon, which counts it.
 *
 * <p>Helidon does not expose the socket's channel, so this class calls two protected methods of its
 * socket class. A connection without them (another release, TLS) has no direct socket, and Helidon
 * reads its bodies. Used by the connection's thread only.
 */
final class DirectSocket implements Supplier<byte[]> {
  /** The direct socket of the connection that this thread serves; unbound if it has none. */
  static final ScopedValue<DirectSocket> CURRENT = ScopedValue.newInstance();

  private static final int STEP = 64 << 10;

  /** The largest part that is written at once: a buffer's limit is an int. */
  private static final long MAX_WRITE = 1L << 30;

  /** Passed to Helidon in place of bytes that are in the body's memory. */
  private static final byte[] FILLER = new byte[STEP];

  /** The target of Helidon's copies of filler; shared by all threads, never read. */
  private static final byte[] SINK = new byte[STEP];

  private static final @Nullable MethodHandle READ = find("read");
  private static final @Nullable MethodHandle WRITE = find("write");

  private final NioSocket socket;

  /** Helidon's own reader, which may have read bytes before this object was made. */
  private final DataReader original;

  private final DataReader reader = DataReader.create(this);
  private final ReadAhead ahead;

  /** The unfilled rest of the body being read; null outside {@link #read}. */
  private @Nullable ByteBuffer body;

  private DirectSocket(NioSocket socket, DataReader original) {
    this.socket = socket;
    this.original = original;
    this.ahead = new ReadAhead(() -> socket.get());
  }

  /** Returns a direct socket for a connection; empty if its socket lacks the methods. */
  static Optional<DirectSocket> of(ConnectionContext connection) {
    HelidonSocket socket = connection.serverSocket();
    return READ != null && WRITE != null && socket.getClass() == NioSocket.class
        ? Optional.of(new DirectSocket((NioSocket) socket, connection.dataReader()))
        : Optional.empty();
  }

  /** The reader that replaces Helidon's. */
  DataReader reader() {
    return reader;
  }

  /** Reads ahead while a request waits, to notice a disconnect. */
  ReadAhead ahead() {
    return ahead;
  }

  /**
   * Reads a body of known length.
   *
   * @param content the request's; nothing has been read from it
   * @param target has the body's length
   */
  void read(ReadableEntity content, MemorySegment target) throws IOException {
    int arrived = (int) Math.min(reader.available(), target.byteSize());
    if (arrived > 0) {
      copy(
          reader.getBuffer(arrived),
          arrived,
          target); // does not consume them: Helidon reads them below
    }
    ByteBuffer rest = target.asSlice(arrived).asByteBuffer();
    body = rest;
    try {
      InputStream stream = content.inputStream();
      for (long left = target.byteSize(); left > 0; ) {
        int count = stream.read(SINK, 0, SINK.length);
        if (count < 0) {
          throw new EOFException();
        }
        left -= count;
      }
      // Helidon marks a body as consumed only after a read that returns -1.
      if (stream.read(SINK, 0, SINK.length) >= 0 || rest.hasRemaining()) {
        throw new IllegalStateException("Helidon's count of a body differs from ours");
      }
    } finally {
      body = null;
    }
  }

  /** Writes {@code source}; Helidon must have written all that precedes it. */
  void write(MemorySegment source) {
    try {
      for (long offset = 0; offset < source.byteSize(); offset += MAX_WRITE) {
        long size = Math.min(source.byteSize() - offset, MAX_WRITE);
        for (ByteBuffer left = source.asSlice(offset, size).asByteBuffer(); left.hasRemaining(); ) {
          call(WRITE, left);
        }
      }
    } catch (UncheckedIOException broken) {
      throw new ServerConnectionException("Failed to write response", broken);
    }
  }

  /** Returns the next bytes for Helidon; null at the end of the stream. */
  @Override
  @SuppressWarnings("ReturnsNullCollection") // Helidon's reader expects null at the end
  public byte @Nullable [] get() {
    try {
      ByteBuffer rest = body;
      if (ahead.isPending()) {
        return rest == null ? ahead.take() : pour(ahead.take(), rest);
      }
      if (rest != null && rest.hasRemaining()) {
        return fill(rest);
      }
      return original.available() > 0 ? original.readBytes(original.available()) : socket.get();
    } catch (UncheckedIOException broken) {
      throw new ServerConnectionException("Failed to get data from socket", broken);
    }
  }

  /** Fills the next step of the body completely, unless the stream ends: so filler is reused. */
  private byte @Nullable [] fill(ByteBuffer rest) {
    int step = Math.min(rest.remaining(), STEP);
    int end = rest.limit();
    rest.limit(rest.position() + step);
    int filled = 0;
    while (filled < step) {
      int count = call(READ, rest);
      if (count < 0) {
        break;
      }
      filled += count;
    }
    rest.limit(end);
    if (filled == 0) {
      return null;
    }
    return filled == STEP ? FILLER : new byte[filled];
  }

  /** Fills the body with bytes that were read ahead; Helidon keeps those after the body. */
  private static byte @Nullable [] pour(byte @Nullable [] source, ByteBuffer rest) {
    if (source != null) {
      rest.put(source, 0, Math.min(source.length, rest.remaining()));
    }
    return source;
  }

  private static void copy(BufferData source, int length, MemorySegment target) {
    byte[] bytes = new byte[length];
    int copied = 0;
    while (copied < length) {
      copied += source.read(bytes, copied, length - copied);
    }
    MemorySegment.copy(MemorySegment.ofArray(bytes), 0, target, 0, length);
  }

  private int call(@Nullable MethodHandle method, ByteBuffer buffer) {
    if (method == null) {
      throw new IllegalStateException("a direct socket without its methods");
    }
    try {
      return (int) method.invokeExact(socket, buffer);
    } catch (RuntimeException | Error thrown) {
      throw thrown;
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }

  private static @Nullable MethodHandle find(String name) {
    try {
      return MethodHandles.privateLookupIn(NioSocket.class, MethodHandles.lookup())
          .findVirtual(NioSocket.class, name, MethodType.methodType(int.class, ByteBuffer.class));
    } catch (ReflectiveOperationException | RuntimeException otherRelease) {
      System.getLogger(DirectSocket.class.getName())
          .log(
              System.Logger.Level.WARNING,
              "Helidon copies large bodies: its socket has no direct access: " + otherRelease);
      return null;
    }
  }
}

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
 * A way past Helidon's copies for large bodies: from the socket straight into the pool, and back.
 *
 * <p>Helidon reads a socket in arrays of 8 KiB, each copied four times before it lies in native
 * memory, and writes likewise; for a tensor of 600 KB that costs more than everything else. So this
 * class stands between the socket and Helidon's reader. Ordinarily it passes arrays on. While a
 * body is read, it fills the body's memory itself and hands Helidon rubbish of the same length, so
 * that Helidon counts the bytes as it must and copies none that matter.
 *
 * <p>The one thing that Helidon does not offer is the socket's channel; two protected methods of
 * its socket class stand in for it. Where they are missing (another release, TLS) there is no such
 * object, and bodies go the ordinary way. One connection, one virtual thread.
 */
final class DirectSocket implements Supplier<byte[]> {
  /** That of the connection whose request is being handled; unbound where there is none. */
  static final ScopedValue<DirectSocket> CURRENT = ScopedValue.newInstance();

  private static final int STEP = 64 << 10;

  /** A buffer's limit is an int. */
  private static final long MAX_WRITE = 1L << 30;

  /** Passed to Helidon in place of bytes that are where they belong already. */
  private static final byte[] RUBBISH = new byte[STEP];

  /** Where Helidon puts it. Shared by all threads, since nobody reads it. */
  private static final byte[] SINK = new byte[STEP];

  private static final @Nullable MethodHandle READ = find("read");
  private static final @Nullable MethodHandle WRITE = find("write");

  private final NioSocket socket;
  private final DataReader beforehand;
  private final DataReader reader = DataReader.create(this);
  private final ReadAhead ahead;

  /** The body being read, what is left of it to fill; null outside {@link #read}. */
  private @Nullable ByteBuffer body;

  private DirectSocket(NioSocket socket, DataReader beforehand) {
    this.socket = socket;
    this.beforehand = beforehand;
    this.ahead = new ReadAhead(() -> socket.get());
  }

  /** That of a connection, if its socket allows it. */
  static Optional<DirectSocket> of(ConnectionContext connection) {
    HelidonSocket socket = connection.serverSocket();
    return READ != null && WRITE != null && socket.getClass() == NioSocket.class
        ? Optional.of(new DirectSocket((NioSocket) socket, connection.dataReader()))
        : Optional.empty();
  }

  /** What Helidon's connection reads from in place of its own reader. */
  DataReader reader() {
    return reader;
  }

  /** Notices that the client hangs up while its request waits. */
  ReadAhead ahead() {
    return ahead;
  }

  /**
   * Reads a body of known length.
   *
   * @param content the request's, untouched
   * @param target exactly as long as the body
   */
  void read(ReadableEntity content, MemorySegment target) throws IOException {
    int arrived = (int) Math.min(reader.available(), target.byteSize());
    if (arrived > 0) {
      copy(reader.getBuffer(arrived), arrived, target); // looks only: Helidon reads it once more
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
      // Helidon takes a body for consumed only once it was told that nothing is left.
      if (stream.read(SINK, 0, SINK.length) >= 0 || rest.hasRemaining()) {
        throw new IllegalStateException("Helidon's count of a body differs from ours");
      }
    } finally {
      body = null;
    }
  }

  /** Writes all of {@code source}; after Helidon has written everything before it. */
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

  /** The next bytes for Helidon; null at the end of the stream. */
  @Override
  @SuppressWarnings("ReturnsNullCollection") // what Helidon's reader takes for the end
  public byte @Nullable [] get() {
    try {
      ByteBuffer rest = body;
      if (ahead.isPending()) {
        return rest == null ? ahead.take() : pour(ahead.take(), rest);
      }
      if (rest != null && rest.hasRemaining()) {
        return fill(rest);
      }
      return beforehand.available() > 0
          ? beforehand.readBytes(beforehand.available())
          : socket.get();
    } catch (UncheckedIOException broken) {
      throw new ServerConnectionException("Failed to get data from socket", broken);
    }
  }

  /**
   * Fills the next step of the body, all of it unless the stream ends, so that the same rubbish
   * serves again and again.
   */
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
    return filled == STEP ? RUBBISH : new byte[filled];
  }

  /** Fills the body with what was read ahead; what is left of it Helidon keeps. */
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
      throw new IllegalStateException("made without its methods");
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
              "large bodies are copied more often than need be: " + otherRelease);
      return null;
    }
  }
}

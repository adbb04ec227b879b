package io.nereid.tensorrt.build;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * A serialised engine in memory, for {@code IRuntime::deserializeCudaEngine}, which copies it.
 * Belongs to the thread that opened it.
 *
 * <p>It is a copy of the file, not a mapping: a process dies if it reads a mapped file that another
 * process has truncated.
 */
public final class Plan implements AutoCloseable {
  /** The most that is read at once: a buffer has at most {@link Integer#MAX_VALUE} bytes. */
  private static final long CHUNK = 1L << 30;

  private final Arena arena;
  private final MemorySegment bytes;
  private final Path file;

  private Plan(Arena arena, MemorySegment bytes, Path file) {
    this.arena = arena;
    this.bytes = bytes;
    this.file = file;
  }

  /**
   * Reads a plan.
   *
   * @throws IOException if the file cannot be read, or is shorter than its size says
   */
  static Plan read(Path file) throws IOException {
    Arena arena = Arena.ofConfined();
    try (var channel = FileChannel.open(file)) {
      MemorySegment bytes = arena.allocate(channel.size(), 64);
      fill(bytes, channel);
      return new Plan(arena, bytes.asReadOnly(), file);
    } catch (IOException | RuntimeException | Error failure) {
      arena.close();
      throw failure;
    }
  }

  private static void fill(MemorySegment bytes, FileChannel channel) throws IOException {
    long done = 0;
    while (done < bytes.byteSize()) {
      ByteBuffer chunk =
          bytes.asSlice(done, Math.min(CHUNK, bytes.byteSize() - done)).asByteBuffer();
      int read = channel.read(chunk);
      if (read < 0) {
        throw new EOFException(
            "the file ends after %d of %d bytes".formatted(done, bytes.byteSize()));
      }
      done += read;
    }
  }

  /** The plan; read-only, usable until {@link #close}. */
  public MemorySegment bytes() {
    return bytes;
  }

  /** The file that it was read from, for messages. */
  public Path file() {
    return file;
  }

  @Override
  public void close() {
    arena.close();
  }
}

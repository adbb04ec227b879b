package io.nereid.tensorrt.build;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * A serialised engine in memory, for {@code IRuntime::deserializeCudaEngine}, which copies it.
 * Belongs to the thread that opened it.
 *
 * <p>It is a copy of the file, not a mapping: a process dies if it reads a mapped file that another
 * process has truncated.
 */
public final class Plan implements AutoCloseable {
  /** Of the memory of plans, in bytes. */
  static final long ALIGNMENT = 64;

  private final Arena arena;
  private final MemorySegment bytes;
  private final Path file;

  /**
   * Takes {@code arena}.
   *
   * @param bytes memory of {@code arena}
   */
  Plan(Arena arena, MemorySegment bytes, Path file) {
    this.arena = arena;
    this.bytes = bytes.asReadOnly();
    this.file = file;
  }

  /**
   * Reads a file that is a plan.
   *
   * @throws IOException if the file cannot be read
   */
  static Plan read(Path file) throws IOException {
    Arena arena = Arena.ofConfined();
    try {
      return new Plan(arena, CacheFile.readAll(file, arena), file);
    } catch (IOException | RuntimeException | Error failure) {
      arena.close();
      throw failure;
    }
  }

  /** The plan; read-only, usable until {@link #close}. */
  public MemorySegment bytes() {
    return bytes;
  }

  /** The file of the model that it comes from: a plan, or the ONNX file that it was built from. */
  public Path file() {
    return file;
  }

  @Override
  public void close() {
    arena.close();
  }
}

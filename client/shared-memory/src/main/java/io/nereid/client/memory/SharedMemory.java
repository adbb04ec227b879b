package io.nereid.client.memory;

import io.nereid.client.Call;
import io.nereid.client.ErrorCode;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.SharedRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Memory that this program shares with a server on the same machine: inputs are written once, where
 * the server reads them, and outputs are read where it has written them. Messages then carry no
 * tensors.
 *
 * <pre>{@code
 * try (SharedMemory memory = SharedMemory.create(client, 1 << 20)) {
 *   SharedSlice image = memory.slice(3 * 224 * 224 * Float.BYTES);
 *   SharedSlice scores = memory.slice(1000 * Float.BYTES);
 *   InferRequest request =
 *       InferRequest.to("resnet")
 *           .input("data", image.tensor(DataType.FP32, 1, 3, 224, 224))
 *           .output(scores.output("prob"))
 *           .build();
 *   image.buffer().asFloatBuffer().put(pixels); // and again for each picture
 *   float[] probabilities = scores.read(client.infer(request).output("prob")).floats();
 * }
 * }</pre>
 *
 * <p>It is a region of the server by a name that no other has, and is used over whatever client of
 * that server. Its pages are allocated when it is made: to touch it later needs no memory that the
 * system might lack. It has no file once the server has opened it, so that the system frees it when
 * this program has closed it, or has ended in whatever way, and the server has forgotten it. A
 * server that was started again does not know it, and answers so; then a new one is made.
 *
 * <p>Owned by the caller, who closes it before the client. Methods are called by any number of
 * threads. What is in a slice is guarded by none: a slice belongs to one request at a time.
 */
public final class SharedMemory implements AutoCloseable {
  /** What a slice begins at a multiple of: a line of the processor's cache. */
  private static final int ALIGNMENT = 64;

  private static final Path FOLDER = Path.of("/dev/shm");

  private final NereidClient client;
  private final String name;
  private final Arena arena;
  private final MemorySegment segment;
  private long used;

  private SharedMemory(NereidClient client, String name, Arena arena, MemorySegment segment) {
    this.client = client;
    this.name = name;
    this.arena = arena;
    this.segment = segment;
  }

  /**
   * Memory of zeros that only servers of this user, and root's, can open.
   *
   * @param client over which the server is told; borrowed until this is closed
   * @param byteSize at least 1
   * @throws NereidException UNIMPLEMENTED on a system without {@code /dev/shm}; RESOURCE_EXHAUSTED
   *     if that has not so much memory left; PERMISSION_DENIED if it may not be written; what the
   *     server says if it does not register the region. Nothing of the memory is left then
   */
  public static SharedMemory create(NereidClient client, long byteSize) {
    return create(
        client, byteSize, Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE));
  }

  /**
   * As the other, for a server of another user.
   *
   * @param permissions who may open it: the server reads and writes
   */
  public static SharedMemory create(
      NereidClient client, long byteSize, Set<PosixFilePermission> permissions) {
    String name =
        "nereid_%d_%s"
            .formatted(
                ProcessHandle.current().pid(),
                HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong()));
    return create(client, FOLDER, name, byteSize, permissions);
  }

  static SharedMemory create(
      NereidClient client,
      Path folder,
      String name,
      long byteSize,
      Set<PosixFilePermission> permissions) {
    if (byteSize < 1) {
      throw new IllegalArgumentException("shared memory has at least 1 byte: " + byteSize);
    }
    Arena arena = Arena.ofShared();
    boolean isMade = false;
    try (SharedFile file = SharedFile.create(folder, name, byteSize, permissions)) {
      var memory = new SharedMemory(client, name, arena, file.map(byteSize, arena));
      memory.register();
      isMade = true;
      return memory;
    } finally {
      if (!isMade) {
        arena.close();
      }
    }
  }

  private void register() {
    try {
      client.regions().registerSystem(name, "/" + name, 0, segment.byteSize());
    } catch (NereidException failure) {
      if (failure.mayHaveRun()) {
        // it may have the region: told to forget it, without a wait for a server that did not
        // answer
        Call.onEnd(
            client.regions().unregisterAsync(false, name),
            (nothing, again) -> {
              if (again != null) {
                failure.addSuppressed(again);
              }
            });
      }
      throw failure;
    }
  }

  /** By which the server knows it. */
  public String name() {
    return name;
  }

  /** The bytes of all. */
  public long byteSize() {
    return segment.byteSize();
  }

  /**
   * The next bytes that belong to no slice yet, from a multiple of 64 on. They are not given back
   * before all is closed: slices are made once and used for many requests.
   *
   * @param byteSize at least 1
   * @throws NereidException RESOURCE_EXHAUSTED if fewer bytes are left
   * @throws IllegalStateException if it is closed
   */
  public synchronized SharedSlice slice(long byteSize) {
    if (!arena.scope().isAlive()) {
      throw closed(name);
    }
    if (byteSize < 1) {
      throw new IllegalArgumentException("a slice has at least 1 byte: " + byteSize);
    }
    long offset = (used + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    long left = Math.max(0, segment.byteSize() - offset);
    if (byteSize > left) {
      throw new NereidException(
          ErrorCode.RESOURCE_EXHAUSTED,
          "a slice of %d bytes of the region '%s'".formatted(byteSize, name),
          "%d of its %d bytes are left".formatted(left, segment.byteSize()),
          false,
          null,
          null);
    }
    used = offset + byteSize;
    return new SharedSlice(
        new SharedRegion(name, offset, byteSize), segment.asSlice(offset, byteSize));
  }

  static IllegalStateException closed(String name) {
    return new IllegalStateException("the shared memory '%s' is closed".formatted(name));
  }

  /**
   * Unmaps the memory, and has the server forget the region. What reads or writes a slice
   * afterwards gets an {@link IllegalStateException}; requests that the server executes meanwhile
   * end as they would. A second call does nothing.
   *
   * @throws NereidException if the server could not be told, as one that is away: this program's
   *     part is freed all the same
   * @throws IllegalStateException if a call of this program sends a slice's bytes in a message at
   *     this moment; then nothing is done, and it can be closed later
   */
  @Override
  public void close() {
    synchronized (this) {
      if (!arena.scope().isAlive()) {
        return;
      }
      arena.close();
    }
    client.regions().unregisterSystem(name);
  }
}

package io.nereid.tensorrt.build;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.Arrays;

/**
 * A file of the cache: a header, then the content. It is written beside its place and moved there,
 * so that another process sees all of it or none. The header tells a truncated file, a changed one
 * and one that was made for another key from the file that was written:
 *
 * <pre>
 * offset 0    "NEREIDC1"
 *        8    length of the content, a little-endian long
 *       16    SHA-256 of the content
 *       48    SHA-256 of what the content was made from
 *      128    content
 * </pre>
 */
final class CacheFile {
  private static final byte[] MAGIC =
      "NEREIDC1".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
  private static final int HEADER = 128;
  private static final int LENGTH = 8;
  private static final int CONTENT_HASH = 16;
  private static final int KEY_HASH = 48;
  private static final int HASH = 32;

  /** The most that is read or hashed at once: a buffer has an int as its size. */
  private static final long CHUNK = 1L << 30;

  private static final FileAttribute<?> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private CacheFile() {}

  /**
   * Reads all of a file.
   *
   * @return memory of {@code arena}, aligned as plans are
   * @throws IOException if it cannot be read, or becomes shorter meanwhile
   */
  static MemorySegment readAll(Path file, Arena arena) throws IOException {
    try (var channel = FileChannel.open(file)) {
      MemorySegment bytes = arena.allocate(channel.size(), Plan.ALIGNMENT);
      long done = 0;
      while (done < bytes.byteSize()) {
        int read = channel.read(chunk(bytes, done));
        if (read < 0) {
          throw new EOFException("it ends after %d of %d bytes".formatted(done, bytes.byteSize()));
        }
        done += read;
      }
      return bytes;
    }
  }

  /**
   * Reads and verifies a file of the cache.
   *
   * @param key SHA-256 of what the content was made from
   * @return the content
   * @throws IOException if it cannot be read, or is not what was written for this key
   */
  static MemorySegment read(Path file, byte[] key, Arena arena) throws IOException {
    MemorySegment all = readAll(file, arena);
    if (all.byteSize() < HEADER || !Arrays.equals(bytes(all, 0, MAGIC.length), MAGIC)) {
      throw new IOException("it is no file of this cache");
    }
    if (!Arrays.equals(bytes(all, KEY_HASH, HASH), key)) {
      throw new IOException("it was made from something else");
    }
    MemorySegment content = all.asSlice(HEADER);
    long length =
        all.get(ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN), LENGTH);
    if (content.byteSize() != length) {
      throw new IOException("it has %d of %d bytes".formatted(content.byteSize(), length));
    }
    if (!Arrays.equals(bytes(all, CONTENT_HASH, HASH), hash(content))) {
      throw new IOException("its content has changed");
    }
    return content;
  }

  /**
   * Writes a file of the cache, and the directories that it is in, which are their owner's alone
   * unless they were there: who can write a plan decides what TensorRT runs.
   *
   * @throws IOException if it cannot be written; the file is then as it was
   */
  static void write(Path file, byte[] key, MemorySegment content) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    boolean permissions = file.getFileSystem().supportedFileAttributeViews().contains("posix");
    Files.createDirectories(
        folder, permissions ? new FileAttribute<?>[] {OWNER_ONLY} : new FileAttribute<?>[0]);
    ByteBuffer header = ByteBuffer.allocate(HEADER).order(ByteOrder.LITTLE_ENDIAN);
    header.put(0, MAGIC).putLong(LENGTH, content.byteSize());
    header.put(CONTENT_HASH, hash(content)).put(KEY_HASH, key);
    Path part = Files.createTempFile(folder, file.getFileName().toString(), ".part");
    try {
      try (var channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
        write(channel, header);
        for (long done = 0; done < content.byteSize(); done += CHUNK) {
          write(channel, chunk(content, done));
        }
      }
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(part);
    }
  }

  private static void write(FileChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  private static ByteBuffer chunk(MemorySegment bytes, long offset) {
    return bytes.asSlice(offset, Math.min(CHUNK, bytes.byteSize() - offset)).asByteBuffer();
  }

  private static byte[] bytes(MemorySegment segment, long offset, long length) {
    return segment.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
  }

  private static byte[] hash(MemorySegment content) {
    MessageDigest digest = Hashes.sha256();
    for (long done = 0; done < content.byteSize(); done += CHUNK) {
      digest.update(chunk(content, done));
    }
    return digest.digest();
  }
}

package io.nereid.tck.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/**
 * A POSIX shared memory object of a client on Linux, where {@code shm_open(3)} opens files of
 * {@code /dev/shm}. Removed when it is closed.
 */
public final class SharedMemoryObject implements AutoCloseable {
  private static final Path DIRECTORY = Path.of("/dev/shm");

  private final Path file;
  private final FileChannel channel;

  private SharedMemoryObject(Path file) throws IOException {
    this.file = file;
    this.channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  /** Whether this machine has such objects. */
  public static boolean isSupported() {
    return Files.isWritable(DIRECTORY);
  }

  /** Creates an object of zeros. */
  public static SharedMemoryObject create(long byteSize) {
    try {
      var object = new SharedMemoryObject(DIRECTORY.resolve("tck_" + UUID.randomUUID()));
      object.channel.write(ByteBuffer.allocate(1), byteSize - 1);
      return object;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Creates an object with that content. */
  public static SharedMemoryObject of(byte... content) {
    SharedMemoryObject object = create(content.length);
    object.write(0, content);
    return object;
  }

  /** The name by which {@code shm_open} finds it. */
  public String key() {
    return "/" + file.getFileName();
  }

  /** Something that is done with the object. */
  private interface Access<T> {
    T of(FileChannel channel) throws IOException;
  }

  private <T> T access(Access<T> access) {
    try {
      return access.of(channel);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** The size now. */
  public long byteSize() {
    return access(FileChannel::size);
  }

  public void write(long offset, byte... bytes) {
    access(opened -> opened.write(ByteBuffer.wrap(bytes), offset));
  }

  public byte[] read(long offset, int count) {
    ByteBuffer bytes = ByteBuffer.allocate(count);
    access(opened -> opened.read(bytes, offset));
    return bytes.array();
  }

  /** Makes the object smaller. */
  public void truncate(long byteSize) {
    access(opened -> opened.truncate(byteSize));
  }

  /** Whether the object still has its name. */
  public boolean exists() {
    return Files.exists(file);
  }

  @Override
  public void close() {
    try (channel) {
      Files.deleteIfExists(file);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}

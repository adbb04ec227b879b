package io.nereid.client.memory;

import io.nereid.client.ErrorCode;
import io.nereid.client.NereidException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The file of a shared memory object, which on Linux {@code shm_open(3)} finds in {@code /dev/shm}
 * by its name. Deleted when it is closed, or when the program ends before that. Used by one thread.
 */
final class SharedFile implements AutoCloseable {
  private static final int CHUNK = 1 << 20;

  private final Path file;
  private final String asked;
  private final Thread atEnd;
  private volatile boolean isMine;

  private SharedFile(Path file, long byteSize) {
    this.file = file;
    this.asked = "shared memory of %d bytes at %s".formatted(byteSize, file);
    this.atEnd = new Thread(this::delete, "nereid shared memory");
  }

  /**
   * An empty file.
   *
   * @param byteSize that it will have; refused if the folder's file system has less left
   */
  static SharedFile create(
      Path folder, String name, long byteSize, Set<PosixFilePermission> permissions) {
    var created = new SharedFile(folder.resolve(name), byteSize);
    created.requireRoom(folder, byteSize);
    try {
      Runtime.getRuntime().addShutdownHook(created.atEnd);
    } catch (IllegalStateException e) {
      throw created.failure(ErrorCode.CANCELLED, "the program is about to end", e);
    }
    try {
      created.create(permissions);
      return created;
    } catch (NereidException e) {
      created.close();
      throw e;
    }
  }

  private void requireRoom(Path folder, long byteSize) {
    if (!Files.isDirectory(folder)) {
      throw failure(
          ErrorCode.UNIMPLEMENTED,
          "%s has no folder %s".formatted(System.getProperty("os.name"), folder),
          null);
    }
    // a size of 0 is one that is not limited, or not known
    long total = folder.toFile().getTotalSpace();
    long usable = folder.toFile().getUsableSpace();
    if (total > 0 && byteSize > usable) {
      throw failure(
          ErrorCode.RESOURCE_EXHAUSTED, "%d bytes are left in %s".formatted(usable, folder), null);
    }
  }

  private void create(Set<PosixFilePermission> permissions) {
    try {
      Files.createFile(file, PosixFilePermissions.asFileAttribute(permissions));
      isMine = true;
      Files.setPosixFilePermissions(file, permissions); // whatever the umask takes
    } catch (FileAlreadyExistsException e) {
      throw failure(ErrorCode.ALREADY_EXISTS, "the file exists", e);
    } catch (AccessDeniedException e) {
      throw failure(ErrorCode.PERMISSION_DENIED, "the file cannot be created", e);
    } catch (IOException e) {
      throw failure(ErrorCode.INTERNAL, "the file cannot be created: " + e.getMessage(), e);
    }
  }

  /**
   * Fills the file with zeros and maps it. They are written, since memory that is missing then is
   * an error here, and else a signal when the page is touched.
   *
   * @param arena owns the mapping
   */
  MemorySegment map(long byteSize, Arena arena) {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer zeros = ByteBuffer.allocate((int) Math.min(CHUNK, byteSize));
      for (long at = 0; at < byteSize; at += zeros.limit()) {
        zeros.clear().limit((int) Math.min(zeros.capacity(), byteSize - at));
        while (zeros.hasRemaining()) {
          channel.write(zeros, at + zeros.position());
        }
      }
      return channel.map(FileChannel.MapMode.READ_WRITE, 0, byteSize, arena);
    } catch (ClosedByInterruptException e) {
      throw failure(ErrorCode.CANCELLED, "the thread was interrupted", e);
    } catch (IOException e) {
      throw failure(ErrorCode.RESOURCE_EXHAUSTED, "the memory cannot be had: " + e.getMessage(), e);
    }
  }

  private NereidException failure(ErrorCode code, String sentence, @Nullable Exception cause) {
    return new NereidException(code, asked, sentence, false, null, cause);
  }

  /** Deletes the file. What has opened or mapped it keeps it. */
  @Override
  public void close() {
    delete();
    try {
      Runtime.getRuntime().removeShutdownHook(atEnd);
    } catch (IllegalStateException e) {
      // the program ends: the hook finds nothing more to do
    }
  }

  private void delete() {
    if (!isMine) {
      return;
    }
    isMine = false;
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      System.getLogger(SharedFile.class.getName())
          .log(System.Logger.Level.WARNING, "the file of " + asked + " cannot be deleted", e);
    }
  }
}

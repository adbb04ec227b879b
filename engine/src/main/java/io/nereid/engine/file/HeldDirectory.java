package io.nereid.engine.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A directory that belongs to one process, beside those of others. No other process writes there
 * while this one runs, which it shows by a lock on a file; the system releases the lock when the
 * process ends, however it ends. The numbers of processes would not do: those of containers repeat.
 *
 * <pre>{@code
 * <parent>/<id>.lock  locked while the process runs
 * <parent>/<id>/
 * }</pre>
 */
public record HeldDirectory(Path lockFile, FileChannel channel, Path path)
    implements AutoCloseable {
  /** What is done with the directory of a process that has ended. */
  @FunctionalInterface
  public interface Adoption {
    void adopt(Path directory) throws IOException;
  }

  private static final String LOCK = ".lock";

  /**
   * The lock files of this process. It must not open them again: closing any channel to a file
   * releases the process's lock on it.
   */
  private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

  /** Creates a directory, which only this user can access. */
  public static HeldDirectory create(Path parent) throws IOException {
    while (true) {
      String id = UUID.randomUUID().toString();
      Path lockFile = parent.resolve(id + LOCK);
      FileChannel channel = hold(lockFile);
      if (channel != null) {
        var created = new HeldDirectory(lockFile, channel, parent.resolve(id));
        OwnerOnly.createDirectories(created.path);
        return created;
      }
    }
  }

  /** Locks a file that is not this process's; null if another process has locked or deleted it. */
  private static @Nullable FileChannel hold(Path lockFile) throws IOException {
    if (!OWN.add(lockFile.toAbsolutePath())) {
      return null;
    }
    FileChannel channel = null;
    boolean held = false;
    try {
      channel =
          FileChannel.open(
              lockFile,
              Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
              OwnerOnly.file(lockFile));
      FileLock lock = channel.tryLock();
      held = lock != null && Files.exists(lockFile); // it was not deleted before it was locked
      return held ? channel : null;
    } finally {
      if (!held) {
        if (channel != null) {
          channel.close();
        }
        OWN.remove(lockFile.toAbsolutePath());
      }
    }
  }

  /**
   * Adopts the directories of processes that have ended.
   *
   * @param adoption leaves nothing of a directory
   */
  public static void adoptLeft(Path parent, Adoption adoption) throws IOException {
    try (DirectoryStream<Path> locks = Files.newDirectoryStream(parent, "*" + LOCK)) {
      for (Path each : locks) {
        FileChannel held = hold(each);
        if (held != null) {
          try (var _ = held) {
            String name = each.getFileName().toString();
            adoption.adopt(each.resolveSibling(name.substring(0, name.length() - LOCK.length())));
            Files.deleteIfExists(each);
          } finally {
            OWN.remove(each.toAbsolutePath());
          }
        }
      }
    }
  }

  /** Lets others adopt the directory, if there still is one. */
  @Override
  public void close() throws IOException {
    try (channel) {
      if (!Files.exists(path)) {
        Files.deleteIfExists(lockFile);
      }
    } finally {
      OWN.remove(lockFile.toAbsolutePath());
    }
  }
}

package io.nereid.engine.model.repository.cache;

import io.nereid.error.IoReason;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The part of a cache that belongs to one server: what it downloads, and its snapshots. No other
 * server writes there while this one runs, which it shows by a lock on a file; the system releases
 * the lock when the process ends, however it ends. A server that starts deletes the directories of
 * those that ended, and continues their downloads.
 *
 * <pre>{@code
 * servers/<id>.lock       locked while the server runs
 * servers/<id>/partial/   downloads that have not finished
 * servers/<id>/snapshots/ directories to load models from
 * }</pre>
 */
final class ServerDirectory implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ServerDirectory.class.getName());
  private static final String LOCK = ".lock";

  /** A download that was interrupted longer ago is deleted. */
  private static final Duration LONGEST_PAUSE = Duration.ofDays(7);

  /**
   * The lock files of this process. It must not open them again: closing any channel to a file
   * releases the process's lock on it.
   */
  private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

  private final Path lockFile;
  private final FileChannel channel;
  private final Path directory;
  private final AtomicLong nextSnapshot = new AtomicLong();

  private ServerDirectory(Path lockFile, FileChannel channel, Path directory) {
    this.lockFile = lockFile;
    this.channel = channel;
    this.directory = directory;
  }

  /**
   * Creates the directory of a server.
   *
   * @param servers where the directories of all servers are
   */
  static ServerDirectory create(Path servers, InstantSource clock) throws IOException {
    while (true) {
      String id = UUID.randomUUID().toString();
      Path lockFile = servers.resolve(id + LOCK);
      FileChannel channel = hold(lockFile);
      if (channel != null) {
        var created = new ServerDirectory(lockFile, channel, servers.resolve(id));
        OwnerOnly.createDirectories(created.partial());
        OwnerOnly.createDirectories(created.snapshots());
        created.adopt(servers, clock);
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

  /** Takes the downloads of servers that have ended, and deletes the rest of them. */
  private void adopt(Path servers, InstantSource clock) throws IOException {
    try (DirectoryStream<Path> locks = Files.newDirectoryStream(servers, "*" + LOCK)) {
      for (Path each : locks) {
        FileChannel held = hold(each);
        if (held != null) {
          try (var _ = held) {
            String name = each.getFileName().toString();
            replace(each.resolveSibling(name.substring(0, name.length() - LOCK.length())), clock);
            Files.deleteIfExists(each);
          } finally {
            OWN.remove(each.toAbsolutePath());
          }
        }
      }
    }
  }

  private void replace(Path ended, InstantSource clock) throws IOException {
    FileTime oldest = FileTime.from(clock.instant().minus(LONGEST_PAUSE));
    try (DirectoryStream<Path> downloads =
        Files.newDirectoryStream(ended.resolve("partial"), "[0-9a-f]*[0-9a-f]")) {
      for (Path download : downloads) {
        Path own = partial().resolve(download.getFileName().toString());
        if (Files.getLastModifiedTime(download).compareTo(oldest) > 0 && !Files.exists(own)) {
          Files.move(download, own);
        }
      }
    } catch (NoSuchFileException _) {
      LOG.log(Level.DEBUG, "{0} has no downloads", ended);
    }
    delete(ended);
  }

  /** The file of a download until it has finished. */
  Path partial(String version) {
    return partial().resolve(version);
  }

  private Path partial() {
    return directory.resolve("partial");
  }

  private Path snapshots() {
    return directory.resolve("snapshots");
  }

  /** Creates an empty directory. */
  Path newSnapshot() throws IOException {
    Path snapshot = snapshots().resolve(Long.toString(nextSnapshot.getAndIncrement()));
    OwnerOnly.createDirectories(snapshot);
    return snapshot;
  }

  /**
   * Deletes a directory and all in it; not what links lead to. One that is not there is ignored.
   */
  static void delete(Path directory) throws IOException {
    try {
      Files.walkFileTree(
          directory,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              Files.deleteIfExists(file);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure)
                throws IOException {
              if (failure != null) {
                throw failure;
              }
              Files.deleteIfExists(visited);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (NoSuchFileException _) {
      LOG.log(Level.DEBUG, "{0} is deleted already", directory);
    }
  }

  /** Deletes the snapshots; a later server continues the downloads. */
  @Override
  public void close() {
    try (channel) {
      delete(snapshots());
      if (isEmpty(partial())) {
        delete(directory);
        Files.deleteIfExists(lockFile);
      }
    } catch (IOException failed) {
      LOG.log(Level.WARNING, "cannot delete all of {0}: {1}", directory, IoReason.of(failed));
    } finally {
      OWN.remove(lockFile.toAbsolutePath());
    }
  }

  private static boolean isEmpty(Path directory) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      return !files.iterator().hasNext();
    }
  }
}

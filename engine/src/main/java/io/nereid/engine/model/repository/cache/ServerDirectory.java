package io.nereid.engine.model.repository.cache;

import io.nereid.engine.file.FileTree;
import io.nereid.engine.file.HeldDirectory;
import io.nereid.engine.file.OwnerOnly;
import io.nereid.error.IoReason;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The part of a cache that belongs to one server while it runs: what it downloads, and its
 * snapshots. A server that starts deletes the directories of those that ended, and continues their
 * downloads.
 *
 * <pre>{@code
 * servers/<id>/partial/   downloads that have not finished
 * servers/<id>/snapshots/ directories to load models from
 * }</pre>
 */
final class ServerDirectory implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ServerDirectory.class.getName());

  /** A download that was interrupted longer ago is deleted. */
  private static final Duration LONGEST_PAUSE = Duration.ofDays(7);

  private final HeldDirectory directory;
  private final AtomicLong nextSnapshot = new AtomicLong();

  private ServerDirectory(HeldDirectory directory) {
    this.directory = directory;
  }

  /**
   * Creates the directory of a server.
   *
   * @param servers where the directories of all servers are
   */
  static ServerDirectory create(Path servers, InstantSource clock) throws IOException {
    var created = new ServerDirectory(HeldDirectory.create(servers));
    OwnerOnly.createDirectories(created.partial());
    OwnerOnly.createDirectories(created.snapshots());
    HeldDirectory.adoptLeft(servers, ended -> created.replace(ended, clock));
    return created;
  }

  /** Takes the downloads of a server that has ended, and deletes the rest of its directory. */
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
    FileTree.delete(ended);
  }

  /** The file of a download until it has finished. */
  Path partial(String version) {
    return partial().resolve(version);
  }

  private Path partial() {
    return directory.path().resolve("partial");
  }

  private Path snapshots() {
    return directory.path().resolve("snapshots");
  }

  /** Creates an empty directory. */
  Path newSnapshot() throws IOException {
    Path snapshot = snapshots().resolve(Long.toString(nextSnapshot.getAndIncrement()));
    OwnerOnly.createDirectories(snapshot);
    return snapshot;
  }

  /** Deletes the snapshots; a later server continues the downloads. */
  @Override
  public void close() {
    try (directory) {
      FileTree.delete(snapshots());
      if (FileTree.list(partial()).isEmpty()) {
        FileTree.delete(directory.path());
      }
    } catch (IOException failed) {
      LOG.log(
          Level.WARNING, "cannot delete all of {0}: {1}", directory.path(), IoReason.of(failed));
    }
  }
}

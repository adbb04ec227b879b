package io.nereid.engine.model.repository.cache;

import io.nereid.engine.file.FileTree;
import io.nereid.engine.file.OwnerOnly;
import io.nereid.error.IoReason;
import io.nereid.spi.repository.ObjectStore;
import io.nereid.spi.repository.ObjectStoreException;
import io.nereid.spi.repository.StoredObject;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * A directory on disk with the contents of objects, which several servers can use at once and which
 * outlives them. Thread-safe.
 *
 * <p>A {@link #snapshot} is a directory that a model is loaded from. Its files are links to
 * contents in the cache, so they take no room of their own, do not change, and stay when the cache
 * deletes the content. Objects that are not in the cache are downloaded.
 */
public final class ObjectCache implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ObjectCache.class.getName());
  private static final int LOCKS = 64;

  /** How often a content is sought that another server deletes before it is linked. */
  private static final int MAX_LINK_ATTEMPTS = 3;

  /**
   * What a snapshot is made of.
   *
   * @param location of the repository, for the identity of its objects
   * @param name of the directory
   * @param files the objects by path below the directory
   * @param directories paths of empty directories
   */
  public record Source(
      ObjectStore store,
      String location,
      String name,
      SortedMap<String, StoredObject> files,
      List<String> directories) {}

  private final Path directory;
  private final Retries retries;
  private final ContentFiles contents;
  private final ServerDirectory server;

  /** So that no two threads download an object at once; by the hash of its version. */
  private final List<ReentrantLock> locks =
      Stream.generate(ReentrantLock::new).limit(LOCKS).toList();

  private ObjectCache(
      Path directory, Retries retries, ContentFiles contents, ServerDirectory server) {
    this.directory = directory;
    this.retries = retries;
    this.contents = contents;
    this.server = server;
  }

  /**
   * Opens a cache, and deletes what ended servers have left in it.
   *
   * @param directory created if it does not exist, with access for its owner only
   * @throws IOException if it cannot be written, or other users can access it
   */
  public static ObjectCache open(Path directory, Retries retries, InstantSource clock)
      throws IOException {
    OwnerOnly.requireDirectory(directory);
    Path contents = directory.resolve("contents");
    Path index = directory.resolve("index");
    Path servers = directory.resolve("servers");
    for (Path each : List.of(contents, index, servers)) {
      OwnerOnly.createDirectories(each);
    }
    ServerDirectory server = ServerDirectory.create(servers, clock);
    var cache =
        new ObjectCache(directory, retries, new ContentFiles(contents, index, clock), server);
    cache.sweep();
    return cache;
  }

  private void sweep() {
    try {
      contents.sweep();
    } catch (IOException failed) { // another server may sweep at the same time
      LOG.log(Level.DEBUG, "unused contents are left in {0}: {1}", directory, IoReason.of(failed));
    }
  }

  /**
   * Makes a directory with the contents of objects.
   *
   * @return its path, whose last element is the source's name; used until it is {@linkplain
   *     #release released}
   * @throws ObjectStoreException if an object cannot be downloaded
   * @throws IOException if the disk cannot be written or has too little room
   */
  public Path snapshot(Source source) throws IOException {
    requireRoom(source);
    Path holder = server.newSnapshot();
    try {
      Path target = holder.resolve(source.name());
      OwnerOnly.createDirectories(target);
      for (String each : source.directories()) {
        OwnerOnly.createDirectories(target.resolve(each));
      }
      for (Map.Entry<String, StoredObject> file : source.files().entrySet()) {
        String path = file.getKey();
        OwnerOnly.createDirectories(target.resolve(path.substring(0, path.lastIndexOf('/') + 1)));
        fill(target.resolve(path), source, file.getValue());
      }
      return target;
    } catch (IOException | RuntimeException failed) {
      FileTree.delete(holder);
      throw failed;
    }
  }

  /** Fails before a long download rather than after it. */
  private void requireRoom(Source source) throws IOException {
    long missing = 0;
    for (StoredObject object : source.files().values()) {
      ObjectId id = ObjectId.of(source.location(), object);
      if (contents.find(id, object.byteSize()).isEmpty()) {
        Path partial = server.partial(id.version());
        missing += object.byteSize() - (Files.exists(partial) ? Files.size(partial) : 0);
      }
    }
    long free = Files.getFileStore(directory).getUsableSpace();
    if (missing > free) {
      throw new IOException(
          "%d bytes are to be downloaded, and %d are free in '%s'"
              .formatted(missing, free, directory));
    }
  }

  /** Makes a file with the content of an object. */
  private void fill(Path file, Source source, StoredObject object) throws IOException {
    if (object.byteSize() == 0) {
      Files.createFile(file, OwnerOnly.file(file));
      return;
    }
    ObjectId id = ObjectId.of(source.location(), object);
    for (int attempt = 1; !link(file, content(id, source, object)); attempt++) {
      if (attempt == MAX_LINK_ATTEMPTS) {
        throw new IOException(
            "the content of object '%s' is deleted from '%s' again and again"
                .formatted(object.key(), directory));
      }
    }
  }

  private Path content(ObjectId id, Source source, StoredObject object) throws IOException {
    ReentrantLock lock = locks.get(Math.floorMod(id.version().hashCode(), LOCKS));
    lock.lock();
    try {
      Optional<Path> cached = contents.find(id, object.byteSize());
      if (cached.isPresent()) {
        return cached.get();
      }
      LOG.log(
          Level.INFO,
          "downloading {0} ({1} bytes) of {2}",
          object.key(),
          Long.toString(object.byteSize()),
          source.location());
      Path partial = server.partial(id.version());
      String sha256 = new Download(source.store(), retries, object, partial).run();
      return contents.add(id, partial, sha256);
    } finally {
      lock.unlock();
    }
  }

  /** Links or copies; false if there is no such content any more. */
  private static boolean link(Path file, Path content) throws IOException {
    try {
      try {
        Files.createLink(file, content);
      } catch (UnsupportedOperationException | FileSystemException notLinked) {
        LOG.log(Level.DEBUG, "{0} is copied: {1}", content, notLinked);
        Files.copy(content, file);
      }
      return true;
    } catch (NoSuchFileException deleted) {
      LOG.log(Level.DEBUG, "the content was deleted: {0}", deleted);
      return false;
    }
  }

  /**
   * Deletes a snapshot that is no longer used, and contents that no object has.
   *
   * @param snapshot from {@link #snapshot}
   */
  public void release(Path snapshot) {
    try {
      FileTree.delete(snapshot.resolveSibling(""));
    } catch (IOException failed) {
      LOG.log(Level.WARNING, "cannot delete all of {0}: {1}", snapshot, IoReason.of(failed));
    }
    sweep();
  }

  /** Deletes all snapshots. Called once, when no model is loaded any more. */
  @Override
  public void close() {
    server.close();
  }
}

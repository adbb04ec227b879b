package io.nereid.tensorrt.build;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Built plans in a directory, which servers of one user may share. A failure is one line in the
 * log: without the cache, plans are built again. Thread-safe.
 *
 * <p>The time of a file is when it was last used. If there is a limit, the files that were not used
 * for longest are deleted when a plan is written.
 */
final class PlanCache {
  private static final System.Logger LOG = System.getLogger(PlanCache.class.getName());

  private final @Nullable Path directory;
  private final long maxByteSize;
  private final InstantSource clock;

  /**
   * @param directory created when a plan is written; null to keep nothing
   * @param maxByteSize of all files; 0 for no limit
   */
  PlanCache(@Nullable Path directory, long maxByteSize, InstantSource clock) {
    this.directory = directory;
    this.maxByteSize = maxByteSize;
    this.clock = clock;
  }

  /** A cache that keeps nothing. */
  static PlanCache none() {
    return new PlanCache(null, 0, InstantSource.system());
  }

  /**
   * Reads a file.
   *
   * @param hash of what it was made from
   * @return its content, memory of {@code arena}; empty if there is no such file that can be used
   */
  Optional<MemorySegment> read(String name, byte[] hash, Arena arena) {
    if (directory == null) {
      return Optional.empty();
    }
    Path file = directory.resolve(name);
    try {
      MemorySegment content = CacheFile.read(file, hash, arena);
      touch(file);
      return Optional.of(content);
    } catch (NoSuchFileException missing) {
      LOG.log(Level.DEBUG, "there is no ''{0}''", missing.getFile());
    } catch (IOException unusable) {
      LOG.log(Level.WARNING, "''{0}'' is not used: {1}", file, text(unusable));
    }
    return Optional.empty();
  }

  private void touch(Path file) {
    try {
      Files.setLastModifiedTime(file, FileTime.from(clock.instant()));
    } catch (IOException readOnly) {
      LOG.log(Level.DEBUG, "''{0}'' keeps its time: {1}", file, text(readOnly));
    }
  }

  /** Writes a file, and makes room for it. */
  void write(String name, byte[] hash, MemorySegment content) {
    if (directory == null) {
      return;
    }
    Path file = directory.resolve(name);
    try {
      CacheFile.write(file, hash, content);
      touch(file);
      if (maxByteSize > 0) {
        trim(directory, file);
      }
    } catch (IOException unwritable) {
      LOG.log(
          Level.WARNING,
          "cannot write ''{0}'': {1}; backend option ''plan-cache-directory'' names another"
              + " directory",
          file,
          text(unwritable));
    }
  }

  private record Entry(Path file, Instant used, long byteSize) {}

  /** Deletes files until the limit is kept; not {@code latest}. */
  private void trim(Path directory, Path latest) throws IOException {
    List<Entry> entries = new ArrayList<>();
    try (var files = Files.newDirectoryStream(directory, "*.{plan,timing}")) {
      for (Path file : files) {
        entries.add(new Entry(file, Files.getLastModifiedTime(file).toInstant(), Files.size(file)));
      }
    }
    entries.sort(Comparator.comparing(Entry::used));
    long total = entries.stream().mapToLong(Entry::byteSize).sum();
    for (Entry entry : entries) {
      if (total > maxByteSize && !entry.file().equals(latest)) {
        Files.deleteIfExists(entry.file());
        total -= entry.byteSize();
        LOG.log(Level.INFO, "deleted ''{0}'', last used at {1}", entry.file(), entry.used());
      }
    }
  }

  /** The message of a failure; the exceptions of files have only a name as their message. */
  static String text(IOException failure) {
    String message = failure.getMessage();
    return failure.getClass() == IOException.class && message != null
        ? message
        : failure.toString();
  }
}

package io.nereid.engine.model.repository.cache;

import io.nereid.engine.file.OwnerOnly;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.MalformedInputException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The contents in a cache, and the index that says which object has which content. All servers that
 * use the cache share them, without locks: a file appears with its whole content, by being renamed,
 * and never changes. One that is missing is downloaded again.
 *
 * <pre>{@code
 * contents/<2 digits>/<SHA-256>  the bytes of one content, read-only
 * index/<hash of the key>        "<hash of key, size and tag> <SHA-256>"
 * }</pre>
 *
 * <p>A content that no object has any more is deleted; snapshots keep their links to it. So is one
 * of an object that no server has used for 30 days.
 */
record ContentFiles(Path contents, Path index, InstantSource clock) {
  private static final System.Logger LOG = System.getLogger(ContentFiles.class.getName());
  private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
  private static final Duration UNUSED = Duration.ofDays(30);

  /** Before that, a content may be one that another server is about to add to the index. */
  private static final Duration YOUNG = Duration.ofHours(1);

  /** The content of an object, if it is there. It may be deleted at any time. */
  Optional<Path> find(ObjectId object, long byteSize) throws IOException {
    Path entry = index.resolve(object.key());
    Optional<Path> content =
        sha256(entry, object.version()).map(this::content).filter(path -> hasSize(path, byteSize));
    if (content.isPresent()) {
      Files.setLastModifiedTime(entry, now());
    }
    return content;
  }

  private static boolean hasSize(Path content, long byteSize) {
    try {
      return Files.size(content) == byteSize;
    } catch (IOException missing) {
      LOG.log(Level.DEBUG, "not in the cache: {0}", missing);
      return false;
    }
  }

  /** The hash in an entry of the index; empty if it is of another version, or not readable. */
  private static Optional<String> sha256(Path entry, String version) throws IOException {
    try {
      String[] words = Files.readString(entry).strip().split(" ", -1);
      return words.length == 2 && words[0].equals(version) && HASH.matcher(words[1]).matches()
          ? Optional.of(words[1])
          : Optional.empty();
    } catch (NoSuchFileException | MalformedInputException _) {
      return Optional.empty();
    }
  }

  private Path directory(String sha256) {
    return contents.resolve(sha256.substring(0, 2));
  }

  private Path content(String sha256) {
    return directory(sha256).resolve(sha256);
  }

  /**
   * Adds the content of an object.
   *
   * @param file holds the bytes; it is renamed, or deleted if another object has the same content
   * @return the content's file
   */
  Path add(ObjectId object, Path file, String sha256) throws IOException {
    Path content = content(sha256);
    if (hasSize(content, Files.size(file))) {
      Files.setLastModifiedTime(content, now());
      Files.delete(file);
    } else {
      Files.setLastModifiedTime(file, now());
      OwnerOnly.protect(file);
      OwnerOnly.createDirectories(directory(sha256));
      Files.move(file, content, StandardCopyOption.ATOMIC_MOVE);
    }
    Path entry = file.resolveSibling(file.getFileName() + ".index");
    Files.deleteIfExists(entry);
    Files.createFile(entry, OwnerOnly.file(entry));
    Files.writeString(entry, object.version() + " " + sha256 + "\n");
    Files.setLastModifiedTime(entry, now());
    Files.move(entry, index.resolve(object.key()), StandardCopyOption.ATOMIC_MOVE);
    return content;
  }

  private FileTime now() {
    return FileTime.from(clock.instant());
  }

  /** Deletes what is not used. */
  void sweep() throws IOException {
    Set<String> used = new HashSet<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(index)) {
      for (Path entry : entries) {
        if (isOlderThan(UNUSED, entry)) {
          Files.deleteIfExists(entry);
        } else {
          used.add(Files.readString(entry).strip().replaceFirst(".* ", ""));
        }
      }
    }
    try (DirectoryStream<Path> directories = Files.newDirectoryStream(contents)) {
      for (Path directory : directories) {
        sweep(directory, used);
      }
    }
  }

  private void sweep(Path directory, Set<String> used) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        if (!used.contains(file.getFileName().toString()) && isOlderThan(YOUNG, file)) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  private boolean isOlderThan(Duration age, Path file) throws IOException {
    return Files.getLastModifiedTime(file).toInstant().isBefore(clock.instant().minus(age));
  }
}

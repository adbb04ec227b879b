package io.nereid.server.model.repository;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;

/** A repository in a file system in memory, where each file has the time that a test gives it. */
final class MemoryRepository implements AutoCloseable {
  private final FileSystem files = Jimfs.newFileSystem(Configuration.unix());
  private final Path path = files.getPath("/models");

  MemoryRepository() {
    try {
      Files.createDirectory(path);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  Path path() {
    return path;
  }

  LocalRepository repository() {
    return new LocalRepository(path);
  }

  DirectoryContents contents(String model) {
    return repository().contents(model).orElseThrow();
  }

  /** Writes a file, modified at a second of the epoch. */
  MemoryRepository write(String file, String text, long second) {
    try {
      Files.createDirectories(path.resolve(file).getParent());
      Files.writeString(path.resolve(file), text);
      Files.setLastModifiedTime(path.resolve(file), FileTime.from(Instant.ofEpochSecond(second)));
      return this;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  MemoryRepository delete(String file) throws IOException {
    Files.delete(path.resolve(file));
    return this;
  }

  @Override
  public void close() throws IOException {
    files.close();
  }
}

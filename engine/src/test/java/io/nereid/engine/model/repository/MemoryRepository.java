package io.nereid.engine.model.repository;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;

/** A repository in a file system in memory, whose clock stands still until a file is written. */
public final class MemoryRepository implements AutoCloseable {
  private long second;
  private final FileSystem files =
      Jimfs.newFileSystem(
          Configuration.unix().toBuilder()
              .setFileTimeSource(() -> FileTime.from(Instant.ofEpochSecond(second)))
              .build());
  private final Path path = files.getPath("/models");

  public MemoryRepository() {
    try {
      Files.createDirectory(path);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  public Path path() {
    return path;
  }

  public LocalRepository repository() {
    return new LocalRepository(path);
  }

  DirectoryContents contents(String model) {
    return repository().contents(model).orElseThrow();
  }

  /** Makes a change, a second after the one before. */
  public MemoryRepository apply(Edit edit) {
    second++;
    try {
      edit.change().apply(path);
      return this;
    } catch (IOException failed) {
      throw new UncheckedIOException(edit.toString(), failed);
    }
  }

  /** Writes a file, and the directories that it is in, at a second of the epoch. */
  MemoryRepository write(String file, String text, long atSecond) {
    second = atSecond;
    try {
      Files.createDirectories(path.resolve(file).getParent());
      Files.writeString(path.resolve(file), text);
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
  public void close() {
    try {
      files.close();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}

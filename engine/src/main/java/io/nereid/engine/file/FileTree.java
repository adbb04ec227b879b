package io.nereid.engine.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Directories with all in them. */
public final class FileTree {
  private static final System.Logger LOG = System.getLogger(FileTree.class.getName());

  private FileTree() {}

  /** What is in a directory, sorted. */
  public static List<Path> list(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.sorted().toList();
    } catch (UncheckedIOException failed) {
      throw Objects.requireNonNull(failed.getCause());
    }
  }

  /**
   * Deletes a directory and all in it; not what links lead to. One that is not there is ignored.
   */
  public static void delete(Path directory) throws IOException {
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
}

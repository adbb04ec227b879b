package io.nereid.engine.model.repository;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;

/**
 * One change of a repository, of which another process sees all or nothing.
 *
 * @param paths that it concerns, below the repository
 */
public record Edit(String name, List<String> paths, Change change) {
  /** Changes the files of a repository. */
  @FunctionalInterface
  public interface Change {
    void apply(Path repository) throws IOException;
  }

  public Edit {
    paths = List.copyOf(paths);
  }

  static Edit directory(String path) {
    return new Edit(
        "mkdir " + path, List.of(path), root -> Files.createDirectory(root.resolve(path)));
  }

  /** Creates a file, or overwrites it. */
  static Edit write(String path, String text) {
    return new Edit(
        "write " + path, List.of(path), root -> Files.writeString(root.resolve(path), text));
  }

  static Edit append(String path, String text) {
    return new Edit(
        "append " + path,
        List.of(path),
        root -> Files.writeString(root.resolve(path), text, StandardOpenOption.APPEND));
  }

  /** Sets a file's time of modification, as {@code cp -p} does in the end. */
  static Edit time(String path, long second) {
    return new Edit(
        "touch " + path,
        List.of(path),
        root ->
            Files.setLastModifiedTime(
                root.resolve(path), FileTime.from(Instant.ofEpochSecond(second))));
  }

  /** Deletes a file or an empty directory. */
  static Edit delete(String path) {
    return new Edit("rm " + path, List.of(path), root -> Files.delete(root.resolve(path)));
  }

  public static Edit link(String path, String target) {
    return new Edit(
        "ln " + path,
        List.of(path),
        root -> Files.createSymbolicLink(root.resolve(path), root.resolve(target)));
  }

  /** Renames a file, directory or link; a file or link of the new name is replaced. */
  public static Edit rename(String from, String to) {
    return new Edit(
        "mv %s %s".formatted(from, to),
        List.of(from, to),
        root ->
            Files.move(root.resolve(from), root.resolve(to), StandardCopyOption.REPLACE_EXISTING));
  }

  /** Whether one of the two has to come first, since their paths are the same or nested. */
  boolean dependsOn(Edit other) {
    return paths.stream()
        .anyMatch(
            path -> other.paths.stream().anyMatch(own -> nested(path, own) || nested(own, path)));
  }

  private static boolean nested(String outer, String inner) {
    return inner.equals(outer) || inner.startsWith(outer + "/");
  }

  @Override
  public String toString() {
    return name;
  }
}

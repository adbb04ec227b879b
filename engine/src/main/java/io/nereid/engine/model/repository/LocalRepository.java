package io.nereid.engine.model.repository;

import io.nereid.engine.file.FileTree;
import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import io.nereid.error.StatusCode;
import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;

/**
 * A model repository in a directory. Every call reads the directory. Symbolic links are followed,
 * so that a repository can consist of links; those that lead back to where they are, are not. A
 * volume's {@code lost+found} is no model.
 *
 * @param bareModel the name of the model whose files the directory has, without a layout; empty if
 *     it has directories of models
 * @param maxFiles how many files a model may have
 */
public record LocalRepository(Path path, Optional<String> bareModel, int maxFiles)
    implements ModelRepository {
  // More than models have, and few enough to end where links multiply directories.
  private static final int MAX_DEPTH = 32;
  private static final int MAX_FILES = 100_000;

  /** What ext4 has in the root of a volume, readable by root only. */
  static final String LOST_AND_FOUND = "lost+found";

  public LocalRepository(Path path) {
    this(path, Optional.empty());
  }

  public LocalRepository(Path path, Optional<String> bareModel) {
    this(path, bareModel, MAX_FILES);
  }

  @Override
  public String location() {
    return path.toString();
  }

  @Override
  public boolean isBare() {
    return bareModel.isPresent();
  }

  @Override
  public List<String> models() {
    try {
      List<Path> entries = FileTree.list(path);
      return bareModel
          .map(List::of)
          .orElseGet(() ->
              entries.stream()
                  .filter(LocalRepository::mayBeDirectory)
                  .map(entry -> entry.getFileName().toString())
                  .filter(name -> !name.startsWith(".") && !name.equals(LOST_AND_FOUND))
                  .sorted()
                  .toList());
    } catch (IOException failed) {
      throw new InferenceException(
          StatusCode.INVALID_ARGUMENT,
          "cannot read model repository '%s': %s".formatted(path, IoReason.of(failed)),
          failed);
    }
  }

  /** False for files and broken links; true if it cannot be told. */
  private static boolean mayBeDirectory(Path entry) {
    try {
      return Files.readAttributes(entry, BasicFileAttributes.class).isDirectory();
    } catch (NoSuchFileException _) {
      return false;
    } catch (IOException _) {
      return true; // a model that cannot be read, which contents() reports
    }
  }

  @Override
  public Optional<DirectoryContents> contents(String model) {
    Optional<Path> directory = directory(model);
    try {
      if (directory.isEmpty()
          || !Files.readAttributes(directory.get(), BasicFileAttributes.class).isDirectory()) {
        return Optional.empty();
      }
      var reader = new DirectoryReader(directory.get(), maxFiles);
      Files.walkFileTree(
          directory.get(), EnumSet.of(FileVisitOption.FOLLOW_LINKS), MAX_DEPTH, reader);
      return Optional.of(reader.contents());
    } catch (NoSuchFileException _) {
      return Optional.empty();
    } catch (IOException failed) {
      throw new InferenceException(
          StatusCode.INTERNAL,
          "cannot read the directory of model '%s' in '%s': %s"
              .formatted(model, path, IoReason.withPath(failed)),
          failed);
    }
  }

  @Override
  public Path directory(String model, DirectoryContents contents) {
    return directory(model)
        .orElseThrow(
            () -> new IllegalArgumentException("contents of a model without directory: " + model));
  }

  /**
   * The directory that a model of that name has; empty if no directory can have it.
   *
   * @throws InferenceException if the locale is the cause
   */
  private Optional<Path> directory(String model) {
    if (bareModel.isPresent()) {
      return bareModel.filter(model::equals).map(_ -> path);
    }
    if (model.isEmpty() || model.startsWith(".") || model.contains("/")) {
      return Optional.empty();
    }
    try {
      return Optional.of(path.resolve(model));
    } catch (InvalidPathException invalid) {
      if (IoReason.isByLocale(model)) {
        throw InferenceException.invalid(
            "model '%s': its name cannot be a path: %s".formatted(model, IoReason.of(invalid)));
      }
      return Optional.empty();
    }
  }
}

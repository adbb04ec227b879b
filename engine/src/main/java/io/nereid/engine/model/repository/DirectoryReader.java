package io.nereid.engine.model.repository;

import io.nereid.engine.model.repository.DirectoryContents.FileState;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.FileVisitResult;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Collects the contents of a model's directory. What is removed while it reads is left out, as is a
 * {@code lost+found} that cannot be read, and a link to a directory that the link is in counts as a
 * directory without contents.
 */
final class DirectoryReader extends SimpleFileVisitor<Path> {
  private static final FileState DIRECTORY = new FileState(0, "");

  private final Path root;
  private final int maxFiles;
  private final SortedMap<String, FileState> files = new TreeMap<>();

  DirectoryReader(Path root, int maxFiles) {
    this.root = root;
    this.maxFiles = maxFiles;
  }

  DirectoryContents contents() {
    return new DirectoryContents(files);
  }

  @Override
  public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
      throws IOException {
    if (!directory.equals(root)) {
      put(directory, name(directory) + "/", DIRECTORY);
    }
    return FileVisitResult.CONTINUE;
  }

  @Override
  public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
    if (attributes.isDirectory()) {
      throw new FileSystemException(file.toString(), null, "too many levels of directories");
    }
    if (attributes.isOther() && !name(file).startsWith(".")) { // to read it might never end
      throw new FileSystemException(
          file.toString(), null, "it is neither a regular file nor a directory");
    }
    String time = attributes.lastModifiedTime().toString();
    put(file, name(file), new FileState(attributes.size(), time));
    return FileVisitResult.CONTINUE;
  }

  /** Adds an entry; its directory is then not empty. */
  private void put(Path path, String name, FileState state) throws IOException {
    if (files.size() == maxFiles) {
      throw new FileSystemException(
          path.toString(), null, "the model has more than " + maxFiles + " files");
    }
    Path parent = path.getParent();
    if (parent != null && !parent.equals(root)) {
      files.remove(name(parent) + "/");
    }
    files.put(name, state);
  }

  private String name(Path path) {
    return root.relativize(path).toString().replace(root.getFileSystem().getSeparator(), "/");
  }

  @Override
  public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
    boolean ofFileSystem = file.equals(root.resolve(LocalRepository.LOST_AND_FOUND));
    boolean removed = failure instanceof NoSuchFileException && !file.equals(root);
    if (removed || ofFileSystem || failure instanceof FileSystemLoopException) {
      return FileVisitResult.CONTINUE;
    }
    throw failure;
  }
}

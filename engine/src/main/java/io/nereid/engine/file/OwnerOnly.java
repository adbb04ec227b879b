package io.nereid.engine.file;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Files and directories that only the server's user can access, where the file system has
 * permissions.
 */
public final class OwnerOnly {
  private static final Set<PosixFilePermission> DIRECTORY =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
  private static final Set<PosixFilePermission> CONTENT =
      PosixFilePermissions.fromString("r--------");

  private OwnerOnly() {}

  private static boolean hasPermissions(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }

  private static FileAttribute<?>[] attributes(Path path, Set<PosixFilePermission> permissions) {
    return hasPermissions(path)
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)}
        : new FileAttribute<?>[0];
  }

  /** The attributes to create a file with. */
  public static FileAttribute<?>[] file(Path path) {
    return attributes(path, FILE);
  }

  /**
   * Creates a file of what clients send, unless there is one: that keeps its permissions. If it
   * cannot be created, it does nothing: the caller that opens the file then gets the reason.
   */
  public static void createFile(Path path) {
    try {
      Files.createFile(path, file(path));
    } catch (IOException _) {
      // it is there, or cannot be opened either
    }
  }

  /** Creates a directory and those above it, as far as they do not exist. */
  public static void createDirectories(Path directory) throws IOException {
    Files.createDirectories(directory, attributes(directory, DIRECTORY));
  }

  /** Makes a file read-only: several snapshots and servers share it. */
  public static void protect(Path file) throws IOException {
    if (hasPermissions(file)) {
      Files.setPosixFilePermissions(file, CONTENT);
    }
  }

  /**
   * Creates a directory, or checks one that exists.
   *
   * @throws IOException if it is another user's, a link, or others can access it
   */
  public static void requireDirectory(Path directory) throws IOException {
    Path above = directory.toAbsolutePath().getParent();
    if (above != null && !Files.isDirectory(above)) {
      createDirectories(above);
    }
    try {
      Files.createDirectory(directory, attributes(directory, DIRECTORY));
    } catch (FileAlreadyExistsException exists) {
      if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
        throw new IOException("'%s' is not a directory".formatted(directory), exists);
      }
    }
    if (!isOwn(directory)) {
      throw new IOException("'%s' is another user's".formatted(directory));
    }
    if (hasPermissions(directory)
        && !DIRECTORY.containsAll(Files.getPosixFilePermissions(directory))) {
      throw new IOException(
          "'%s' can be accessed by other users: its permissions must be rwx------"
              .formatted(directory));
    }
  }

  /** Whether the directory's owner is that of a file that this process creates in it. */
  private static boolean isOwn(Path directory) throws IOException {
    Path probe;
    try {
      probe = Files.createTempFile(directory, "owner", ".tmp", file(directory));
    } catch (AccessDeniedException notOurs) {
      return false;
    }
    try {
      return Files.getOwner(probe).equals(Files.getOwner(directory, LinkOption.NOFOLLOW_LINKS));
    } finally {
      Files.delete(probe);
    }
  }
}

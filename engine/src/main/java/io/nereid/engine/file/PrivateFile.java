package io.nereid.engine.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Files of what clients send, which only the server's user can access, where the file system has
 * permissions.
 */
public final class PrivateFile {
  private static final Set<PosixFilePermission> PERMISSIONS =
      PosixFilePermissions.fromString("rw-------");

  private PrivateFile() {}

  /**
   * Creates a file, unless there is one: that keeps its permissions. If it cannot be created, it
   * does nothing: whoever opens the file then gets the reason.
   */
  public static void create(Path path) {
    FileAttribute<?>[] attributes =
        path.getFileSystem().supportedFileAttributeViews().contains("posix")
            ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PERMISSIONS)}
            : new FileAttribute<?>[0];
    try {
      Files.createFile(path, attributes);
    } catch (IOException _) {
      // it is there, or cannot be opened either
    }
  }
}

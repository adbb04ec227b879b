package io.nereid.spi;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The checks of a native library in a cache. It is loaded only if it has the content of the
 * original, and if no other user can replace it: file and folder belong to this process's user or
 * to root, are no links, and others cannot write to them.
 */
public final class CachedFile {
  private static final int CHUNK = 1 << 16;
  private static final LinkOption[] NO_LINKS = {LinkOption.NOFOLLOW_LINKS};

  private static final Set<PosixFilePermission> WRITABLE_BY_OTHERS =
      Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

  /** The files that this process has compared, with their times. */
  private static final Map<Path, FileTime> COMPARED = new ConcurrentHashMap<>();

  private CachedFile() {}

  /** The original's content. */
  @FunctionalInterface
  public interface Content {
    /** Opens it, to be read from the start and closed. */
    InputStream open() throws IOException;
  }

  /**
   * The file with the original's content, which is copied if there is none that may be loaded. Of
   * processes that copy at the same time the last one's stays; a library that is loaded already
   * keeps its content.
   *
   * @param folder created, for this user alone, if it does not exist
   * @param byteSize of the original
   * @throws IOException if the folder is a link or another user's, or the file cannot be written
   */
  public static Path copy(Path folder, String name, long byteSize, Content original)
      throws IOException {
    Path file = folder.resolve(name);
    createDirectories(folder);
    if (isUsable(file, byteSize, original)) {
      return file;
    }
    Path part = Files.createTempFile(folder, name, ".part");
    try {
      try (InputStream content = original.open();
          var out = Files.newOutputStream(part)) { // keeps the permissions
        content.transferTo(out);
      }
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(part);
    }
    return file;
  }

  /** Creates a folder and those above it, for this user alone, as far as they do not exist. */
  public static void createDirectories(Path folder) throws IOException {
    Files.createDirectories(
        folder,
        hasPermissions(folder)
            ? new FileAttribute<?>[] {
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
            }
            : new FileAttribute<?>[0]);
  }

  /**
   * Whether a file may be loaded; false if it is to be written again. A folder that others can
   * write to is closed to them first.
   *
   * @throws IOException if the folder is a link or another user's
   */
  private static boolean isUsable(Path file, long byteSize, Content original) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null) {
      throw new IOException("'%s' is in no folder".formatted(file));
    }
    if (closeToOthers(folder)) {
      COMPARED.remove(file);
    }
    if (!Files.isRegularFile(file, NO_LINKS)
        || !isOwn(file)
        || isWritableByOthers(file)
        || Files.size(file) != byteSize) {
      return false;
    }
    FileTime time = Files.getLastModifiedTime(file, NO_LINKS);
    if (time.equals(COMPARED.get(file))) {
      return true;
    }
    try (var content = new BufferedInputStream(original.open(), CHUNK);
        var copy = Files.newInputStream(file, NO_LINKS)) {
      if (!isSame(content, copy)) {
        return false;
      }
    }
    COMPARED.put(file, time);
    return true;
  }

  /**
   * Takes from others the permission to write to a folder.
   *
   * @return whether they had it
   * @throws IOException if the folder is a link or another user's
   */
  public static boolean closeToOthers(Path folder) throws IOException {
    if (!isOwn(folder)) {
      throw new IOException("'%s' is a link, or another user's".formatted(folder));
    }
    if (!isWritableByOthers(folder)) {
      return false;
    }
    Set<PosixFilePermission> closed = Files.getPosixFilePermissions(folder, NO_LINKS);
    closed.removeAll(WRITABLE_BY_OTHERS);
    Files.setPosixFilePermissions(folder, closed);
    return true;
  }

  private static boolean isSame(InputStream one, InputStream other) throws IOException {
    while (true) {
      byte[] expected = one.readNBytes(CHUNK);
      if (!Arrays.equals(expected, other.readNBytes(CHUNK))) {
        return false;
      }
      if (expected.length == 0) {
        return true;
      }
    }
  }

  private static boolean hasPermissions(Path path) {
    Set<String> views = path.getFileSystem().supportedFileAttributeViews();
    return views.contains("posix") && views.contains("unix");
  }

  private static boolean isWritableByOthers(Path path) throws IOException {
    return hasPermissions(path)
        && Files.getPosixFilePermissions(path, NO_LINKS).stream()
            .anyMatch(WRITABLE_BY_OTHERS::contains);
  }

  private static boolean isOwn(Path path) throws IOException {
    if (Files.isSymbolicLink(path)) {
      return false;
    }
    if (!hasPermissions(path)) {
      return true;
    }
    Object owner = Files.getAttribute(path, "unix:uid", NO_LINKS);
    return owner.equals(0) || owner.equals(user());
  }

  /** The id of this process's user: that of its files. */
  private static Object user() throws IOException {
    Path own = Files.createTempFile("nereid", ".user");
    try {
      return Files.getAttribute(own, "unix:uid");
    } finally {
      Files.delete(own);
    }
  }
}

package io.nereid.spi;

import io.nereid.error.IoReason;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The directory of the server's user for files that can be made again. */
public final class UserCache {
  private static final String NAME = "nereid";
  private static final LinkOption[] NO_LINKS = {LinkOption.NOFOLLOW_LINKS};

  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");

  private UserCache() {}

  /**
   * The first of these: {@code nereid} in {@code XDG_CACHE_HOME}; in {@code .cache} of {@code HOME}
   * ({@code Library/Caches} on macOS, {@code LOCALAPPDATA} on Windows), or without {@code HOME} of
   * the home directory that the system knows, if that can be written; else {@code nereid-<user>}
   * among the temporary files, which is created for this user alone.
   *
   * @param environment the environment variables of the process
   * @throws IOException if the directory among the temporary files cannot be created, or is not
   *     this user's alone
   */
  public static Path directory(Map<String, String> environment) throws IOException {
    boolean windows = isSystem("windows");
    Optional<Path> stated = absolute(environment.get(windows ? "LOCALAPPDATA" : "XDG_CACHE_HOME"));
    if (stated.isPresent()) {
      return stated.get().resolve(NAME);
    }
    String home = environment.getOrDefault("HOME", "");
    Optional<Path> ofHome =
        absolute(home.isEmpty() ? System.getProperty("user.home") : home)
            .flatMap(UserCache::writableIn);
    return ofHome.isPresent()
        ? ofHome.get()
        : temporary(Path.of(System.getProperty("java.io.tmpdir")));
  }

  private static Optional<Path> writableIn(Path home) {
    Path caches = home.resolve(isSystem("mac") ? "Library/Caches" : ".cache");
    Path directory = caches.resolve(NAME);
    return Stream.of(directory, caches, home)
        .filter(folder -> Files.exists(folder))
        .findFirst()
        .filter(folder -> Files.isDirectory(folder))
        .filter(Files::isWritable)
        .map(_ -> directory);
  }

  /** The directory of this user in one that others can write to. */
  static Path temporary(Path parent) throws IOException {
    Path directory = parent.resolve(NAME + "-" + user());
    boolean permissions = parent.getFileSystem().supportedFileAttributeViews().contains("unix");
    try {
      Files.createDirectory(
          directory,
          permissions
              ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER_ONLY)}
              : new FileAttribute<?>[0]);
    } catch (FileAlreadyExistsException exists) {
      if (!Files.isDirectory(directory, NO_LINKS)) {
        throw new IOException("'%s' is not a directory".formatted(directory), exists);
      }
    } catch (IOException unwritable) {
      throw new IOException(
          "'%s' cannot be created: %s".formatted(directory, IoReason.of(unwritable)), unwritable);
    }
    if (permissions) {
      requireOwn(directory, parent);
    }
    return directory;
  }

  private static void requireOwn(Path directory, Path parent) throws IOException {
    if (!owner(directory).equals(process(parent))) {
      throw new IOException("'%s' is another user's".formatted(directory));
    }
    if (!OWNER_ONLY.containsAll(Files.getPosixFilePermissions(directory, NO_LINKS))) {
      throw new IOException(
          "'%s' can be accessed by other users: its permissions must be rwx------"
              .formatted(directory));
    }
  }

  /** The name of this process's user, or its number if it has none; for names of files. */
  public static String user() {
    String name = System.getProperty("user.name", "?");
    if (!name.equals("?")) { // what the JVM says if the system has no entry for the user
      return name.replaceAll("[^A-Za-z0-9_-]", "_");
    }
    try {
      return process(Path.of(System.getProperty("java.io.tmpdir"))).toString();
    } catch (IOException | UnsupportedOperationException unknown) {
      return "unknown";
    }
  }

  /** The number of this process's user: that of its files. */
  private static Object process(Path parent) throws IOException {
    Path own = Files.createTempFile(parent, NAME, ".user");
    try {
      return owner(own);
    } finally {
      Files.delete(own);
    }
  }

  private static Object owner(Path path) throws IOException {
    return Files.getAttribute(path, "unix:uid", NO_LINKS);
  }

  private static boolean isSystem(String name) {
    return System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith(name);
  }

  private static Optional<Path> absolute(@Nullable String path) {
    if (path == null || path.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(Path.of(path)).filter(Path::isAbsolute);
    } catch (InvalidPathException unnameable) { // in the encoding of the locale, for one
      return Optional.empty();
    }
  }
}

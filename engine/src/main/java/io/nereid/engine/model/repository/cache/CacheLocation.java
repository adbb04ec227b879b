package io.nereid.engine.model.repository.cache;

import io.nereid.spi.UserCache;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Where the cache is: a directory of its own in the one that is set, or in the user's or the
 * system's.
 */
public final class CacheLocation {
  private static final String NAME = "nereid-repositories";

  private CacheLocation() {}

  /**
   * The directory of the cache.
   *
   * @param directory of the operator; empty for that of the environment: {@code
   *     TRITON_AWS_MOUNT_DIRECTORY}, {@code XDG_CACHE_HOME}, or {@code .cache} of a writable {@code
   *     HOME}; without any of them, that of temporary files
   */
  public static Path of(Optional<Path> directory, Map<String, String> environment) {
    return directory
        .or(() -> path(environment, "TRITON_AWS_MOUNT_DIRECTORY"))
        .or(() -> users(environment, "XDG_CACHE_HOME").filter(Path::isAbsolute))
        .or(() -> users(environment, "HOME").filter(Files::isWritable).map(CacheLocation::cacheOf))
        .map(parent -> parent.resolve(NAME))
        .orElseGet(CacheLocation::temporary);
  }

  private static Optional<Path> path(Map<String, String> environment, String name) {
    return Optional.ofNullable(environment.get(name))
        .filter(value -> !value.isEmpty())
        .map(Path::of);
  }

  /** A directory of the user's; empty too if it has a name that this process cannot use. */
  private static Optional<Path> users(Map<String, String> environment, String name) {
    try {
      return path(environment, name);
    } catch (InvalidPathException unnameable) { // in the encoding of the locale, for one
      return Optional.empty();
    }
  }

  private static Path cacheOf(Path home) {
    return home.resolve(".cache");
  }

  /** Of this user, since the directory is shared. */
  private static Path temporary() {
    return Path.of(System.getProperty("java.io.tmpdir")).resolve(NAME + "-" + UserCache.user());
  }
}

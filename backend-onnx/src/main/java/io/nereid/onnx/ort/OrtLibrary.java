package io.nereid.onnx.ort;

import io.nereid.error.IoReason;
import io.nereid.spi.UserCache;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.CodeSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The search for ONNX Runtime's native library, in this order:
 *
 * <ol>
 *   <li>the file that the operator configures;
 *   <li>the directory {@code native} beside this backend's jar;
 *   <li>{@code ai/onnxruntime/native/<platform>} beside it, where a distribution has what is in
 *       ONNX Runtime's jar;
 *   <li>that jar on the class path, from which it is copied into a cache once.
 * </ol>
 */
final class OrtLibrary {
  private static final String CACHE_DIRECTORY =
      "backend option 'cache-directory' names another folder";

  /** What glibc and macOS say of a file that may not be mapped as a program. */
  private static final List<String> NOT_EXECUTABLE =
      List.of("failed to map segment", "not permitted", "mmap");

  private OrtLibrary() {}

  /**
   * Finds and loads the library.
   *
   * @param configured the file that the operator configures
   * @param cache directory for the copy that the operator configures; created if it does not exist
   * @throws IOException if there is no library, or it cannot be loaded; the message names the file
   */
  static OrtApi load(Optional<Path> configured, Optional<Path> cache) throws IOException {
    Optional<Path> unpacked = unpacked(configured, ourJar());
    Path file = unpacked.isPresent() ? unpacked.get() : copy(cache);
    try {
      return OrtApi.open(SymbolLookup.libraryLookup(file, Arena.global()), file);
    } catch (IllegalArgumentException unusable) {
      throw new IOException(
          "cannot use ONNX Runtime library '%s': %s%s"
              .formatted(
                  file, reason(file, unusable), unpacked.isPresent() ? "" : "; " + CACHE_DIRECTORY),
          unusable);
    }
  }

  /** What the system's loader says, where the JVM's message has only the name of the file. */
  private static String reason(Path file, IllegalArgumentException unusable) {
    String message = String.valueOf(unusable.getMessage());
    if (!message.startsWith("Cannot open library")) {
      return message;
    }
    String reason = Downcalls.loadFailure(file.toString()).orElse(message);
    if (reason.startsWith(file + ": ")) {
      reason = reason.substring(file.toString().length() + 2);
    }
    return NOT_EXECUTABLE.stream().anyMatch(reason::contains)
        ? reason + " (is its folder mounted noexec?)"
        : reason;
  }

  /**
   * Finds the library.
   *
   * @param ourJar the jar or directory of this backend's classes; null if unknown
   */
  static Path find(Optional<Path> configured, @Nullable Path ourJar, Optional<Path> cache)
      throws IOException {
    Optional<Path> unpacked = unpacked(configured, ourJar);
    return unpacked.isPresent() ? unpacked.get() : copy(cache);
  }

  private static Optional<Path> unpacked(Optional<Path> configured, @Nullable Path ourJar)
      throws IOException {
    if (configured.isPresent()) {
      Path file = configured.get().toAbsolutePath();
      if (!Files.isRegularFile(file)) {
        throw new IOException("there is no ONNX Runtime library '%s'".formatted(file));
      }
      return Optional.of(file);
    }
    Platform platform = Platform.current();
    if (ourJar != null) {
      for (String place : List.of("native/" + platform.fileName(), platform.resource())) {
        Path beside = ourJar.resolveSibling(place);
        if (Files.isRegularFile(beside)) {
          return Optional.of(beside);
        }
      }
    }
    return Optional.empty();
  }

  private static Path copy(Optional<Path> configured) throws IOException {
    Platform platform = Platform.current();
    URL resource = OrtLibrary.class.getClassLoader().getResource(platform.resource());
    if (resource == null) {
      throw new IOException(
          ("no ONNX Runtime library for %s: it is neither in folder 'native' beside '%s', nor there"
                  + " or on the class path as '%s'")
              .formatted(platform.folder(), ourJar(), platform.resource()));
    }
    String where = "a folder of this user";
    try {
      Path cache = configured.isPresent() ? configured.get() : UserCache.directory(System.getenv());
      where = "'%s'".formatted(cache);
      if (configured.isEmpty()) { // the folder above it may be everybody's
        CachedFile.createDirectories(cache);
        CachedFile.closeToOthers(cache);
      }
      return extract(resource, platform, cache);
    } catch (IOException failure) {
      throw new IOException(
          "cannot copy ONNX Runtime's library into %s (%s); %s"
              .formatted(where, IoReason.withPath(failure), CACHE_DIRECTORY),
          failure);
    }
  }

  private static @Nullable Path ourJar() {
    CodeSource source = OrtLibrary.class.getProtectionDomain().getCodeSource();
    return source == null || !"file".equals(source.getLocation().getProtocol())
        ? null
        : Path.of(uri(source.getLocation()));
  }

  /** Copies the resource into the cache, unless it has a file with that content. */
  static Path extract(URL resource, Platform platform, Path cache) throws IOException {
    if ("file".equals(resource.getProtocol())) {
      return Path.of(uri(resource));
    }
    URLConnection connection = resource.openConnection();
    connection.setUseCaches(false);
    long byteSize = connection.getContentLengthLong();
    Path folder = cache.resolve("onnxruntime-" + version(connection) + "-" + byteSize);
    Path file = folder.resolve(platform.fileName());
    CachedFile.createDirectories(folder);
    if (CachedFile.isUsable(file, byteSize, connection::getInputStream)) {
      return file;
    }
    URLConnection again = resource.openConnection();
    again.setUseCaches(false);
    try (InputStream content = again.getInputStream()) {
      // Processes that start at the same time write a file each. The last rename wins; a library
      // that is loaded already keeps its content.
      Path part = Files.createTempFile(folder, platform.fileName(), ".part");
      try {
        try (var out = Files.newOutputStream(part)) { // keeps the permissions
          content.transferTo(out);
        }
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(part);
      }
    }
    return file;
  }

  private static String version(URLConnection connection) throws IOException {
    if (connection instanceof JarURLConnection jar && jar.getManifest() != null) {
      String version = jar.getManifest().getMainAttributes().getValue("Implementation-Version");
      if (version != null && version.matches("[\\w.-]+")) {
        return version;
      }
    }
    return "unknown";
  }

  private static URI uri(URL location) {
    try {
      return location.toURI();
    } catch (URISyntaxException malformed) {
      throw new IllegalStateException(location + " is no URI", malformed);
    }
  }

  /**
   * A platform under the names in ONNX Runtime's jar.
   *
   * @param folder such as {@code linux-x64}
   * @param fileName such as {@code libonnxruntime.so}
   */
  record Platform(String folder, String fileName) {
    static Platform current() {
      String os = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
      String machine = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
      String arch = machine.equals("amd64") || machine.equals("x86_64") ? "x64" : machine;
      if (os.startsWith("windows")) {
        return new Platform("win-" + arch, "onnxruntime.dll");
      }
      return os.startsWith("mac")
          ? new Platform("osx-" + arch, "libonnxruntime.dylib")
          : new Platform("linux-" + arch, "libonnxruntime.so");
    }

    String resource() {
      return "ai/onnxruntime/native/" + folder + "/" + fileName;
    }
  }
}

package io.nereid.onnx.ort;

import io.nereid.error.IoReason;
import io.nereid.spi.CachedFile;
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
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The search for ONNX Runtime's native library, in this order:
 *
 * <ol>
 *   <li>the file that the operator configures;
 *   <li>the directory {@code native} beside this backend's jar;
 *   <li>{@code ai/onnxruntime/native/<platform>} beside it, where a distribution has what is in
 *       ONNX Runtime's jar;
 *   <li>that jar on the class path, from which it is copied into a cache once. Of several the first
 *       is taken that is not too old.
 * </ol>
 *
 * <p>The process may have other libraries of ONNX Runtime loaded, or load them later, as its Java
 * API does: see {@link Soname}.
 */
final class OrtLibrary {
  private static final String CACHE_DIRECTORY =
      "backend option 'cache-directory' names another folder";

  /** What glibc and macOS say of a file that may not be mapped as a program. */
  private static final List<String> NOT_EXECUTABLE =
      List.of("failed to map segment", "not permitted", "mmap");

  private static final Pattern NUMBERS = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})\\b");

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
      SymbolLookup library = SymbolLookup.libraryLookup(file, Arena.global());
      Soname.hide(file);
      return OrtApi.open(library, file);
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
    URL resource = resource(OrtLibrary.class.getClassLoader(), platform);
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

  /** The first library on a class path that is not too old. */
  static URL resource(ClassLoader loader, Platform platform) throws IOException {
    URL first = loader.getResource(platform.resource());
    if (first == null) {
      throw new IOException(
          ("no ONNX Runtime library for %s: it is neither in folder 'native' beside '%s', nor there"
                  + " or on the class path as '%s'")
              .formatted(platform.folder(), ourJar(), platform.resource()));
    }
    if (!isBefore(OrtApi.VERSION, version(first))) {
      return first;
    }
    List<String> tooOld = new ArrayList<>();
    for (URL each : Collections.list(loader.getResources(platform.resource()))) {
      String version = version(each);
      if (!isBefore(OrtApi.VERSION, version)) {
        return each;
      }
      String path = each.getPath();
      tooOld.add("%s in '%s'".formatted(version, path.substring(0, path.lastIndexOf("!/"))));
    }
    throw new IOException(
        ("ONNX Runtime on the class path is %s, and at least 1.%d is needed: depend on a later"
                + " com.microsoft.onnxruntime:onnxruntime, or name the file of a later library by"
                + " backend option 'library'")
            .formatted(String.join(" and ", tooOld), OrtApi.VERSION));
  }

  /**
   * Whether a version, such as {@code 1.29.0}, is before 1.{@code minor}; false if it is unknown.
   */
  static boolean isBefore(int minor, String version) {
    Matcher numbers = NUMBERS.matcher(version);
    return numbers.lookingAt()
        && Integer.parseInt(numbers.group(1)) < 2
        && Integer.parseInt(numbers.group(2)) < minor;
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
    long byteSize;
    try (InputStream _ = connection.getInputStream()) { // whose close closes the jar
      byteSize = connection.getContentLengthLong();
    }
    Path folder = cache.resolve("onnxruntime-" + version(resource) + "-" + byteSize);
    return CachedFile.copy(
        folder,
        platform.fileName(),
        byteSize,
        () -> {
          URLConnection again = resource.openConnection();
          again.setUseCaches(false);
          return again.getInputStream();
        });
  }

  /** The version in the manifest of a resource's jar, if that is ONNX Runtime's own. */
  private static String version(URL resource) throws IOException {
    URLConnection connection = resource.openConnection();
    connection.setUseCaches(false);
    if (connection instanceof JarURLConnection opened) {
      try (JarFile jar = opened.getJarFile()) {
        Manifest manifest = jar.getManifest();
        Attributes stated = manifest == null ? new Attributes() : manifest.getMainAttributes();
        String title = stated.getValue(Attributes.Name.IMPLEMENTATION_TITLE);
        String version = stated.getValue(Attributes.Name.IMPLEMENTATION_VERSION);
        if (title != null
            && title.startsWith("onnxruntime")
            && version != null
            && version.matches("[\\w.-]+")) {
          return version;
        }
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

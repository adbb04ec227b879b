package io.nereid.text.tokenizer;

import io.nereid.error.IoReason;
import io.nereid.spi.CachedFile;
import io.nereid.spi.UserCache;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * The content of DJL's jar, none of whose code is used but the declarations of native methods. A
 * distribution has it unpacked in the backend's folder, so that a library needs no copy; elsewhere
 * it is on the class path, and the library is copied into a folder of the user's cache once.
 *
 * @param folder where it is unpacked; empty if it is on the class path
 * @param cache where copies are; empty for the user's cache
 */
record TokenizerFiles(Optional<Path> folder, Optional<Path> cache) {
  /** The library of this platform. */
  Path library() throws IOException {
    String resource = platform();
    Optional<Path> unpacked = unpacked(resource);
    if (unpacked.isPresent()) {
      return unpacked.get();
    }
    URL url = resource(resource);
    try {
      Path root = cache.isPresent() ? cache.get() : UserCache.directory(System.getenv());
      if (cache.isEmpty()) { // the folder above it may be everybody's
        CachedFile.createDirectories(root);
        CachedFile.closeToOthers(root);
      }
      long byteSize;
      URLConnection connection = connection(url);
      try (InputStream _ = connection.getInputStream()) { // whose close closes the jar
        byteSize = connection.getContentLengthLong();
      }
      return CachedFile.copy(
          root.resolve("tokenizers-" + byteSize),
          resource.substring(resource.lastIndexOf('/') + 1),
          byteSize,
          () -> connection(url).getInputStream());
    } catch (IOException failed) {
      throw new IOException(
          ("cannot copy the library of tokenizers: %s; backend option 'cache-directory' names"
                  + " another folder")
              .formatted(IoReason.withPath(failed)),
          failed);
    }
  }

  /** A file of the jar. */
  byte[] read(String resource) throws IOException {
    Optional<Path> unpacked = unpacked(resource);
    if (unpacked.isPresent()) {
      return Files.readAllBytes(unpacked.get());
    }
    try (InputStream in = connection(resource(resource)).getInputStream()) {
      return in.readAllBytes();
    }
  }

  private Optional<Path> unpacked(String resource) {
    return folder.map(place -> place.resolve(resource)).filter(Files::isRegularFile);
  }

  private static URL resource(String name) throws IOException {
    URL url = TokenizerFiles.class.getClassLoader().getResource(name);
    if (url == null) {
      throw new FileNotFoundException(
          ("there is no '%s', neither in the backend's folder nor on the class path, where"
                  + " ai.djl.huggingface:tokenizers has it for Linux (x86-64, aarch64), macOS"
                  + " (aarch64) and Windows (x86-64)")
              .formatted(name));
    }
    return url;
  }

  private static URLConnection connection(URL url) throws IOException {
    URLConnection connection = url.openConnection();
    connection.setUseCaches(false);
    return connection;
  }

  private static String platform() {
    String os = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    String machine = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
    String arch =
        machine.equals("amd64") ? "x86_64" : machine.equals("arm64") ? "aarch64" : machine;
    if (os.startsWith("windows")) {
      return "native/lib/win-%s/cpu/tokenizers.dll".formatted(arch);
    }
    return os.startsWith("mac")
        ? "native/lib/osx-%s/cpu/libtokenizers.dylib".formatted(arch)
        : "native/lib/linux-%s/cpu/libtokenizers.so".formatted(arch);
  }
}

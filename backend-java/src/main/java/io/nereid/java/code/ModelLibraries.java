package io.nereid.java.code;

import io.nereid.spi.LastingLoaders;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * The jars of a model's folder {@code lib}, whose classes may load native libraries. Their loader
 * is one of the {@link LastingLoaders}: models whose folders have the same bytes share it.
 *
 * @param jars sorted
 * @param loader the parent of the loaders of versions
 */
record ModelLibraries(List<Path> jars, ClassLoader loader) {
  private static final String FOLDER = "lib";

  ModelLibraries {
    jars = List.copyOf(jars);
  }

  /**
   * Those of a model; none if it has no such folder, or one without jars.
   *
   * @throws IOException if a file cannot be read, or all together are too large
   */
  static ModelLibraries of(Path modelDirectory) throws IOException {
    Path folder = modelDirectory.resolve(FOLDER);
    if (!Files.isDirectory(folder)) {
      return new ModelLibraries(List.of(), ClassLoader.getPlatformClassLoader());
    }
    VersionCode all = VersionCode.of(folder);
    if (all.jars().isEmpty()) {
      return new ModelLibraries(List.of(), ClassLoader.getPlatformClassLoader());
    }
    try {
      return new ModelLibraries(all.jars(), LastingLoaders.of(digest(all), () -> loader(all)));
    } catch (UncheckedIOException failed) {
      throw failed.getCause();
    }
  }

  private static ClassLoader loader(VersionCode all) {
    try {
      var jars = new VersionCode(all.folder(), List.of(), all.jars(), List.of());
      return VersionClassLoader.ofLibraries(all.folder(), Map.copyOf(jars.read()));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** Of the jars and of the native libraries beside them, in order. */
  private static String digest(VersionCode all) throws IOException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      try (var out = new DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
        for (List<Path> files : List.of(all.jars(), all.others())) {
          for (Path file : files) {
            try (InputStream in = Files.newInputStream(file)) {
              out.write((in.transferTo(out) + "\n").getBytes(StandardCharsets.US_ASCII));
            }
          }
        }
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}

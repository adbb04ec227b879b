package io.nereid.server.options.declaration;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Finds the folder of the distribution. */
final class DistributionFolder {
  /**
   * The property with the folder, which the launcher sets: where classes are from an AOT cache, the
   * JVM says of them where they lay when it was made.
   */
  private static final String HOME = "nereid.home";

  private DistributionFolder() {}

  /** The folder of this server, or the current directory. */
  static Path present() {
    String home = System.getProperty(HOME);
    return home == null ? of(codeSource()) : Path.of(home);
  }

  /** The jar or the folder that this class was loaded from. */
  private static Path codeSource() {
    try {
      return Path.of(
          DistributionFolder.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /**
   * The folder whose {@code lib/} holds the server's jar; the current directory if the server was
   * not loaded from such a jar.
   */
  static Path of(Path codeSource) {
    Path folder = codeSource.getParent();
    return folder != null && folder.endsWith("lib") && !Files.isDirectory(codeSource)
        ? folder.resolveSibling("")
        : Path.of(".");
  }
}

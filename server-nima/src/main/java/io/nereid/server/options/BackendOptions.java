package io.nereid.server.options;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** The options of backends: where they are, and their settings. */
public final class BackendOptions {
  /**
   * The property with the folder of the distribution, which the launcher sets: where classes are
   * from an AOT cache, the JVM says of them where they lay when it was made.
   */
  private static final String HOME = "nereid.home";

  @Option(
      names = "--backend-directory",
      paramLabel = "<directory>",
      description =
          "Directory with one folder of jars per backend. Default: backends/ of the distribution.")
  private Path directory = distribution().resolve("backends");

  @Option(
      names = "--backend-config",
      paramLabel = "<backend>,<key>=<value>",
      converter = BackendOption.Converter.class,
      description = "Setting of one backend or, without a name, of all backends. Repeatable.")
  private List<BackendOption> settings = new ArrayList<>();

  public Path directory() {
    return directory;
  }

  /** The settings by backend and key; those of all backends have the name {@code ""}. */
  public Map<String, Map<String, String>> settings() {
    return BackendOption.byBackend(settings);
  }

  /** The folder of the distribution, or the current directory. */
  static Path distribution() {
    String home = System.getProperty(HOME);
    return home == null ? distribution(codeSource()) : Path.of(home);
  }

  /** The jar or the folder that this class was loaded from. */
  private static Path codeSource() {
    try {
      return Path.of(
          BackendOptions.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /**
   * The folder of the distribution, whose {@code lib/} holds the server's jar; the current
   * directory if the server was not loaded from such a jar.
   */
  static Path distribution(Path codeSource) {
    Path folder = codeSource.getParent();
    return folder != null && folder.endsWith("lib") && !Files.isDirectory(codeSource)
        ? folder.resolveSibling("")
        : Path.of(".");
  }
}

package io.nereid.server.options;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.TypeConversionException;

/** The options of backends: where they are, and their settings. */
public final class BackendOptions extends OptionGroup {
  /**
   * The property with the folder of the distribution, which the launcher sets: where classes are
   * from an AOT cache, the JVM says of them where they lay when it was made.
   */
  private static final String HOME = "nereid.home";

  private final OptionValue<Path> directory =
      option("--backend-directory=<directory>", Path.class, distribution().resolve("backends"))
          .help(
              "Directory with one folder of jars per backend. Default: backends/ of the"
                  + " distribution.");

  private final OptionValue<List<NamedSetting>> settings =
      list("--backend-config=<backend>,<key>=<value>", BackendOptions::setting)
          .help("Setting of one backend or, without a name, of all backends. Repeatable.");

  public Path directory() {
    return directory.get();
  }

  /** The settings by backend and key; those of all backends have the name {@code ""}. */
  public Map<String, Map<String, String>> settings() {
    return NamedSetting.byName(settings.get());
  }

  /** {@code <backend>,<key>=<value>} or {@code <key>=<value>}. */
  private static NamedSetting setting(String text) {
    int equals = text.indexOf('=');
    int comma = text.lastIndexOf(',', equals);
    if (equals <= comma + 1) {
      throw new TypeConversionException("expected <backend>,<key>=<value>, got '" + text + "'");
    }
    if (comma == 0) {
      throw new TypeConversionException(
          "No backend specified: expected <backend>,<key>=<value>, got '" + text + "'");
    }
    return NamedSetting.of(text, comma, equals);
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

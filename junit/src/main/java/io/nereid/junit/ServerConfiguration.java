package io.nereid.junit;

import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;

/**
 * What makes two test classes share a server.
 *
 * @param repositories absolute
 * @param options each {@code name=value}, without hyphens
 * @param distribution absolute; empty for a server in this JVM
 */
record ServerConfiguration(
    List<Path> repositories, List<String> options, Optional<Path> distribution) {
  /**
   * Reads an annotation.
   *
   * @throws ExtensionConfigurationException if a folder does not exist, or an option has no value
   */
  static ServerConfiguration of(NereidTest annotation, Class<?> test) {
    for (String option : annotation.options()) {
      if (option.startsWith("-") || option.indexOf('=') < 1) {
        throw problem(
            test, "the option '%s' is to be written as name=value, without hyphens", option);
      }
    }
    if (annotation.repository().length == 0) {
      throw problem(test, "it names no model repository");
    }
    return new ServerConfiguration(
        Arrays.stream(annotation.repository()).map(name -> repository(name, test)).toList(),
        List.of(annotation.options()),
        annotation.distribution().isEmpty()
            ? Optional.empty()
            : Optional.of(distribution(annotation.distribution(), test)));
  }

  private static Path repository(String name, Class<?> test) {
    Path path = Path.of(name).toAbsolutePath().normalize();
    if (Files.isDirectory(path)) {
      return path;
    }
    return ofClassPath(name, test)
        .orElseThrow(() ->
            problem(
                test,
                "there is no model repository '%s': looked for the folder %s, and for a folder '%s'"
                    + " on the class path",
                name,
                path,
                name));
  }

  private static Optional<Path> ofClassPath(String name, Class<?> test) {
    URL found = test.getClassLoader().getResource(name);
    if (found == null || !found.getProtocol().equals("file")) { // in a jar it is no folder
      return Optional.empty();
    }
    try {
      return Optional.of(Path.of(found.toURI())).filter(Files::isDirectory);
    } catch (URISyntaxException unusable) {
      throw new ExtensionConfigurationException("not a file: " + found, unusable);
    }
  }

  private static Path distribution(String name, Class<?> test) {
    Path path = Path.of(name).toAbsolutePath().normalize();
    if (!Files.isExecutable(path.resolve("bin/nereid"))) {
      throw problem(
          test,
          "there is no distribution '%s': looked for the program %s",
          name,
          path.resolve("bin/nereid"));
    }
    return path;
  }

  private static ExtensionConfigurationException problem(
      Class<?> test, String text, Object... arguments) {
    return new ExtensionConfigurationException(
        "@NereidTest of %s: %s".formatted(test.getName(), text.formatted(arguments)));
  }

  @Override
  public String toString() {
    return "%s%s%s"
        .formatted(
            repositories,
            options.isEmpty() ? "" : " with " + options,
            distribution.map(path -> " by " + path).orElse(""));
  }
}

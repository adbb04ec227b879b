package io.nereid.server.command;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A Maven project for a backend: it builds, is tested by the kit, and serves a model of its own.
 *
 * @param name of the backend, and of the project's folder
 * @param version of the libraries that it is built with
 * @param launcher the command that serves, a path or a name on the {@code PATH}
 */
public record NewBackend(String name, String version, String launcher) {
  private static final Pattern SEPARATORS = Pattern.compile("[_-]+");
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_-]{0,39}");

  /** Names that a model's {@code backend} has a meaning for already. */
  private static final Set<String> TAKEN =
      Set.of("ensemble", "java", "onnxruntime", "tensorrt", "trees");

  private static final String WRAPPER = ".mvn/wrapper/maven-wrapper.properties";

  /** By what the wrapper of this build finds a JDK. */
  private static final Pattern OWN_LINES =
      Pattern.compile("# Nereid's own lines: .*?\nfi\n\n", Pattern.DOTALL);

  /** The files of a project by the templates they are made of, which are resources beside this. */
  private static final Map<String, String> FILES =
      Map.ofEntries(
          Map.entry("pom.xml", "pom.xml"),
          Map.entry("README.md", "README.md"),
          Map.entry("serve", "serve"),
          Map.entry("mvnw", "mvnw"),
          Map.entry(WRAPPER, WRAPPER),
          Map.entry("Backend.java", "src/main/java/@folder@/@Class@Backend.java"),
          Map.entry("Model.java", "src/main/java/@folder@/@Class@Model.java"),
          Map.entry("Instance.java", "src/main/java/@folder@/@Class@Instance.java"),
          Map.entry("BackendTest.java", "src/test/java/@folder@/@Class@BackendTest.java"),
          Map.entry("LeakTest.java", "src/test/java/@folder@/@Class@LeakTest.java"),
          Map.entry("config.pbtxt", "models/@name@_example/config.pbtxt"));

  private static final List<String> PROGRAMS = List.of("serve", "mvnw");

  /**
   * @throws InferenceException INVALID_ARGUMENT if a backend cannot have that name
   */
  public NewBackend {
    if (!NAME.matcher(name).matches()) {
      throw InferenceException.invalid(
          ("a backend cannot be called '%s': expected at most 40 characters of a to z, 0 to 9, '_'"
                  + " and '-', a letter first")
              .formatted(name));
    }
    if (TAKEN.contains(name)) {
      throw InferenceException.invalid(
          "a backend cannot be called '%s': there is one of that name already".formatted(name));
    }
  }

  /**
   * Makes the project in a new folder of its name.
   *
   * @param directory the folder's parent; exists
   * @return the folder
   * @throws InferenceException ALREADY_EXISTS if there is something of that name; nothing is
   *     changed then
   * @throws IOException if a file cannot be written
   */
  public Path create(Path directory) throws IOException {
    Path folder = directory.resolve(name);
    try {
      Files.createDirectory(folder);
    } catch (FileAlreadyExistsException exists) {
      throw new InferenceException(
          StatusCode.ALREADY_EXISTS,
          "'%s' exists already: choose another name, or delete it".formatted(folder));
    }
    for (Map.Entry<String, String> file : FILES.entrySet()) {
      write(folder, file.getValue(), template(file.getKey()));
    }
    write(folder, ".gitignore", "target/\n");
    write(folder, "models/@name@_example/1/factor.txt", "2.5\n");
    write(
        folder,
        "src/main/resources/META-INF/services/io.nereid.spi.BackendProvider",
        "@package@.@Class@Backend\n");
    for (String program : PROGRAMS) {
      if (!folder.resolve(program).toFile().setExecutable(true, false)) {
        throw new IOException("cannot make %s executable".formatted(folder.resolve(program)));
      }
    }
    return folder;
  }

  private void write(Path folder, String path, String content) throws IOException {
    Path file = folder.resolve(filled(path));
    Files.createDirectories(file.getParent());
    Files.writeString(file, filled(content));
  }

  private static String template(String name) throws IOException {
    try (InputStream in = NewBackend.class.getResourceAsStream("backend/" + name)) {
      if (in == null) {
        throw new IllegalStateException("no template " + name);
      }
      var text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return OWN_LINES.matcher(text).replaceFirst("");
    }
  }

  private String filled(String template) {
    return template
        .replace("@name@", name)
        .replace("@Class@", className())
        .replace("@package@", packageName())
        .replace("@folder@", packageName().replace('.', '/'))
        .replace("@version@", version)
        .replace("@nereid@", launcher);
  }

  /** Never a word of Java's, whatever the name is. */
  private String packageName() {
    return "com.example." + name.replaceAll("[_-]", "") + "backend";
  }

  private String className() {
    var text = new StringBuilder();
    for (String word : SEPARATORS.splitAsStream(name).toList()) {
      text.append(Character.toUpperCase(word.charAt(0))).append(word, 1, word.length());
    }
    return text.toString();
  }
}

package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.model.config.ModelOnDisk;
import io.nereid.spi.BackendProvider;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Predicate;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code java -jar nereid-server.jar} in a folder like the distribution's: the jar has the build's
 * manifest and a class path, {@code lib/} has the server, {@code backends/} has a backend.
 */
class ServerJarTest {
  private static final Path MANIFEST = Path.of("src/main/assembly/MANIFEST.MF");
  private static final String CONFIG =
      """
      backend: "stopwatch"
      parameters { key: "of" value { string_value: "gate" } }
      input { name: "IN0" data_type: TYPE_UINT8 dims: [ -1 ] }
      output { name: "OUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
      """;

  @Test
  void servesWithOptionsAloneAndTheBackendsBesideIt(@TempDir Path home, @TempDir Path elsewhere)
      throws Exception {
    Path classes = location(Main.class);
    Path testClasses = location(StopwatchBackend.class);
    jar(home.resolve("lib/server.jar"), new Manifest(), classes, _ -> true);
    Path backend = Files.createDirectories(home.resolve("backends/stopwatch"));
    jar(
        backend.resolve("stopwatch.jar"),
        new Manifest(),
        testClasses,
        file -> file.startsWith(StopwatchBackend.class.getName().replace('.', '/')));
    Path provider = Files.createDirectories(elsewhere.resolve("provider/META-INF/services"));
    Files.writeString(
        provider.resolve(BackendProvider.class.getName()), StopwatchBackend.class.getName());
    jar(backend.resolve("provider.jar"), new Manifest(), elsewhere.resolve("provider"), _ -> true);
    Path launcher = home.resolve("nereid-server.jar");
    jar(launcher, manifest(classes, testClasses), testClasses, _ -> false);
    ModelOnDisk.of(elsewhere.resolve("models"), "m", CONFIG);

    try (var server = ServerProcess.startJar(elsewhere, elsewhere.resolve("models"), launcher)) {
      server.awaitLine("model 'm' version 1 is ready");
      server.metricsPort();
      server.terminate();

      assertThat(server.exitStatus()).isZero();
      assertThat(server.log()).noneMatch(line -> line.contains("--enable-native-access"));
    }
  }

  /** The build's manifest, with a class path as Maven adds it. */
  private static Manifest manifest(Path... inJars) throws IOException {
    Manifest manifest;
    try (var in = Files.newInputStream(MANIFEST)) {
      manifest = new Manifest(in);
    }
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    manifest
        .getMainAttributes()
        .put(
            Attributes.Name.CLASS_PATH,
            Arrays.stream(classPath.split(File.pathSeparator))
                .map(Path::of)
                .filter(Predicate.not(Arrays.asList(inJars)::contains))
                .map(path -> path.toUri().toString())
                .collect(Collectors.joining(" ", "lib/server.jar ", "")));
    return manifest;
  }

  private static Path location(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  /** Packs the files of a folder whose names are selected. */
  private static void jar(Path jar, Manifest manifest, Path folder, Predicate<String> selected)
      throws IOException {
    Files.createDirectories(jar.getParent());
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    try (OutputStream out = Files.newOutputStream(jar);
        var entries = new JarOutputStream(out, manifest);
        var files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String name = folder.relativize(file).toString().replace(File.separatorChar, '/');
        if (selected.test(name) && !name.equals("META-INF/MANIFEST.MF")) {
          entries.putNextEntry(new ZipEntry(name));
          Files.copy(file, entries);
          entries.closeEntry();
        }
      }
    }
  }
}

package io.nereid.server.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.Main;
import io.nereid.server.support.ServerProcess;
import io.nereid.tck.echo.EchoBackend;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
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
      backend: "tck_echo"
      input { name: "INPUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
      output { name: "OUTPUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
      """;

  @Test
  void servesWithOptionsAloneAndTheBackendsBesideIt(@TempDir Path home, @TempDir Path elsewhere)
      throws Exception {
    Path classes = location(Main.class);
    Path backend = location(EchoBackend.class);
    jar(home.resolve("lib/server.jar"), new Manifest(), classes);
    if (Files.isDirectory(backend)) {
      jar(home.resolve("backends/tck/tck.jar"), new Manifest(), backend);
    } else {
      Files.createDirectories(home.resolve("backends/tck"));
      Files.copy(backend, home.resolve("backends/tck/tck.jar"));
    }
    Path launcher = home.resolve("nereid-server.jar");
    jar(launcher, manifest(List.of(classes, backend, location(ServerJarTest.class))));
    Path models = elsewhere.resolve("models");
    Files.createDirectories(models.resolve("m/1"));
    Files.writeString(models.resolve("m/config.pbtxt"), CONFIG);

    try (var server = ServerProcess.startJar(elsewhere, models, launcher)) {
      server.awaitLine("successfully loaded 'm'");
      server.metricsPort();
      server.terminate();

      assertThat(server.exitStatus()).isZero();
      assertThat(server.log()).noneMatch(line -> line.contains("--enable-native-access"));
    }
  }

  /** The build's manifest, with a class path as Maven adds it. */
  private static Manifest manifest(List<Path> excluded) throws IOException {
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
                .filter(path -> !excluded.contains(path))
                .map(path -> path.toUri().toString())
                .collect(Collectors.joining(" ", "lib/server.jar ", "")));
    return manifest;
  }

  private static Path location(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  private static void jar(Path jar, Manifest manifest, Path... folders) throws IOException {
    Files.createDirectories(jar.resolveSibling(""));
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    try (var out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
      for (Path folder : folders) {
        try (var files = Files.walk(folder)) {
          for (Path file : files.filter(Files::isRegularFile).toList()) {
            String name = folder.relativize(file).toString().replace(File.separatorChar, '/');
            if (!name.equals("META-INF/MANIFEST.MF")) {
              out.putNextEntry(new ZipEntry(name));
              Files.copy(file, out);
            }
          }
        }
      }
    }
  }
}

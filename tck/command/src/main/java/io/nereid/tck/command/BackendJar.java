package io.nereid.tck.command;

import io.nereid.tck.echo.AddSubBackend;
import io.nereid.tck.echo.EchoBackend;
import io.nereid.tck.echo.RepeatBackend;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** A jar of backends for a server's backend directory, made of the classes that run. */
final class BackendJar {
  private static final List<Class<?>> PROVIDERS =
      List.of(AddSubBackend.class, EchoBackend.class, RepeatBackend.class);
  private static final String SERVICE = "META-INF/services/io.nereid.spi.BackendProvider";

  private BackendJar() {}

  /** Writes the jar of the kit's backends. */
  static void write(Path jar) throws IOException {
    write(jar, PROVIDERS);
  }

  /** Writes a jar of these providers and the other classes of their package, which is one. */
  static void write(Path jar, List<Class<?>> providers) throws IOException {
    Path classes = classes(providers.getFirst());
    if (Files.isDirectory(classes)) {
      write(jar, classes, providers);
    } else {
      try (FileSystem opened = FileSystems.newFileSystem(classes)) {
        write(jar, opened.getPath("/"), providers);
      }
    }
  }

  private static Path classes(Class<?> provider) {
    try {
      return Path.of(provider.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static void write(Path jar, Path root, List<Class<?>> providers) throws IOException {
    Path folder = root.resolve(providers.getFirst().getPackageName().replace('.', '/'));
    try (OutputStream file = Files.newOutputStream(jar);
        var zip = new ZipOutputStream(file);
        Stream<Path> classes = Files.list(folder)) {
      for (Path each : classes.sorted().toList()) {
        zip.putNextEntry(new ZipEntry(root.relativize(each).toString().replace('\\', '/')));
        Files.copy(each, zip);
      }
      zip.putNextEntry(new ZipEntry(SERVICE));
      String names = providers.stream().map(Class::getName).collect(Collectors.joining("\n"));
      zip.write(names.getBytes(StandardCharsets.UTF_8));
    }
  }
}

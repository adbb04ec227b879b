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

/** A jar of the kit's backends for a server's backend directory, made of the classes that run. */
final class BackendJar {
  private static final List<Class<?>> PROVIDERS =
      List.of(AddSubBackend.class, EchoBackend.class, RepeatBackend.class);
  private static final String SERVICE = "META-INF/services/io.nereid.spi.BackendProvider";

  private BackendJar() {}

  /** Writes the jar. */
  static void write(Path jar) throws IOException {
    Path classes = classes();
    if (Files.isDirectory(classes)) {
      write(jar, classes);
    } else {
      try (FileSystem opened = FileSystems.newFileSystem(classes)) {
        write(jar, opened.getPath("/"));
      }
    }
  }

  private static Path classes() {
    try {
      return Path.of(EchoBackend.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static void write(Path jar, Path root) throws IOException {
    Path echo = root.resolve(EchoBackend.class.getPackageName().replace('.', '/'));
    try (OutputStream file = Files.newOutputStream(jar);
        var zip = new ZipOutputStream(file);
        Stream<Path> classes = Files.list(echo)) {
      for (Path each : classes.sorted().toList()) {
        zip.putNextEntry(new ZipEntry(root.relativize(each).toString().replace('\\', '/')));
        Files.copy(each, zip);
      }
      zip.putNextEntry(new ZipEntry(SERVICE));
      String names = PROVIDERS.stream().map(Class::getName).collect(Collectors.joining("\n"));
      zip.write(names.getBytes(StandardCharsets.UTF_8));
    }
  }
}

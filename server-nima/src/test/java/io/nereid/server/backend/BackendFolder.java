package io.nereid.server.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.spi.BackendProvider;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** A folder under a directory of backends, with jars compiled for one test. */
record BackendFolder(Path path) {
  static BackendFolder of(Path directory, String name) {
    try {
      return new BackendFolder(Files.createDirectories(directory.resolve(name)));
    } catch (IOException failed) {
      throw new AssertionError(failed);
    }
  }

  /** Adds a jar with a provider of that name, which does {@code open} when it is opened. */
  BackendFolder withProvider(String name, String open) {
    String className = "Provider" + name.replaceAll("[^a-z]", "");
    String source =
        """
        package made;
        public final class %s implements io.nereid.spi.BackendProvider {
          static int opened;
          @Override public String name() { return "%s"; }
          @Override public io.nereid.spi.Backend open(io.nereid.spi.BackendSettings settings) {
            %s
            return new io.nereid.spi.Backend() {
              @Override public io.nereid.spi.Model load(
                  io.nereid.spi.ModelFiles files, io.nereid.config.ModelConfig config) {
                throw io.nereid.error.InferenceException.unsupported("%s of " + settings.options());
              }
              @Override public void close() {}
            };
          }
        }
        """
            .formatted(className, name, open, name);
    try {
      Path classes = Files.createTempDirectory("nereid-backend");
      compile(className, source, classes);
      try (var jar = new JarOutputStream(Files.newOutputStream(path.resolve(name + ".jar")))) {
        jar.putNextEntry(new JarEntry("META-INF/services/" + BackendProvider.class.getName()));
        jar.write(("made." + className + "\n").getBytes(java.nio.charset.StandardCharsets.UTF_8));
        try (var files = Files.list(classes.resolve("made"))) {
          for (Path file : files.toList()) {
            jar.putNextEntry(new JarEntry("made/" + file.getFileName()));
            jar.write(Files.readAllBytes(file));
          }
        }
      }
      return this;
    } catch (IOException failed) {
      throw new AssertionError(failed);
    }
  }

  /** Adds a jar that declares a provider which it does not hold. */
  BackendFolder withBrokenJar() {
    try (var jar = new JarOutputStream(Files.newOutputStream(path.resolve("broken.jar")))) {
      jar.putNextEntry(new JarEntry("META-INF/services/" + BackendProvider.class.getName()));
      jar.write("made.Missing\n".getBytes(java.nio.charset.StandardCharsets.UTF_8));
      return this;
    } catch (IOException failed) {
      throw new AssertionError(failed);
    }
  }

  BackendFolder withFile(String name, String content) {
    try {
      Files.writeString(path.resolve(name), content);
      return this;
    } catch (IOException failed) {
      throw new AssertionError(failed);
    }
  }

  private static void compile(String className, String source, Path classes) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    var file =
        new SimpleJavaFileObject(
            URI.create("string:///made/" + className + ".java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return source;
          }
        };
    var messages = new StringWriter();
    boolean compiled =
        compiler
            .getTask(
                messages,
                null,
                null,
                List.of(
                    "-proc:none",
                    "-cp",
                    System.getProperty("java.class.path"),
                    "-d",
                    classes.toString()),
                null,
                List.of(file))
            .call();
    assertThat(compiled).as("%s", messages).isTrue();
  }
}

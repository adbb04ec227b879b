package io.nereid.engine.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.spi.BackendProvider;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.classfile.ClassFile;
import java.lang.classfile.attribute.ModuleAttribute;
import java.lang.constant.ClassDesc;
import java.lang.constant.ModuleDesc;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** A folder under a directory of backends, with jars compiled for one test. */
public record BackendFolder(Path path) {
  /** Creates the folder. */
  public static BackendFolder of(Path directory, String name) {
    try {
      return new BackendFolder(Files.createDirectories(directory.resolve(name)));
    } catch (IOException failed) {
      throw new AssertionError(failed);
    }
  }

  /** Adds a jar with a provider of that name, which runs the statements {@code open} in open. */
  BackendFolder withProvider(String name, String open) {
    String className = "Provider" + name.replaceAll("[^a-z]", "");
    return withProviderClass(className, providerSource(className, name, open));
  }

  /**
   * Adds a jar with a provider that only its module descriptor declares.
   *
   * @param className of package {@code made}
   */
  BackendFolder withModule(String className, String source) {
    Path classes = compile(Map.of("made/" + className, source));
    byte[] descriptor =
        ClassFile.of()
            .buildModule(
                ModuleAttribute.of(
                    ModuleDesc.of("made"),
                    module ->
                        module
                            .requires(ModuleDesc.of("java.base"), ClassFile.ACC_MANDATED, null)
                            .provides(
                                ClassDesc.of(BackendProvider.class.getName()),
                                ClassDesc.of("made." + className))));
    try {
      Files.write(classes.resolve("module-info.class"), descriptor);
    } catch (IOException failed) {
      throw new AssertionError(failed);
    }
    return withJar(className + ".jar", BackendProvider.class, "", classes);
  }

  /**
   * Adds a jar with a provider that a service file declares.
   *
   * @param className of package {@code made}
   */
  public BackendFolder withProviderClass(String className, String source) {
    return withProviderClass(BackendProvider.class, className, source);
  }

  /**
   * Adds a jar with a provider of any service.
   *
   * @param className of package {@code made}
   */
  public BackendFolder withProviderClass(Class<?> service, String className, String source) {
    Path classes = compile(Map.of("made/" + className, source));
    return withJar(className + ".jar", service, "made." + className + "\n", classes);
  }

  static String providerSource(String className, String name, String open) {
    return """
    package made;
    public final class %s implements io.nereid.spi.BackendProvider {
      static int opened;
      @Override public String name() { return "%s"; }
      @Override public io.nereid.spi.Backend open(io.nereid.spi.BackendContext context) {
        %s
        return new io.nereid.spi.Backend() {
          @Override public io.nereid.spi.Model load(
              io.nereid.spi.ModelFiles files, io.nereid.config.ModelConfig config) {
            throw io.nereid.error.InferenceException.unsupported("%s of " + context.options().all());
          }
          @Override public void close() {}
        };
      }
    }
    """
        .formatted(className, name, open, name);
  }

  /** Adds a jar that declares a provider which it does not hold. */
  BackendFolder withBrokenJar() {
    return withJar("broken.jar", BackendProvider.class, "made.Missing\n", compile(Map.of()));
  }

  BackendFolder withFile(String name, String content) {
    try {
      Files.writeString(path.resolve(name), content);
      return this;
    } catch (IOException failed) {
      throw new AssertionError(failed);
    }
  }

  private BackendFolder withJar(String name, Class<?> service, String providers, Path classes) {
    try (var jar = new JarOutputStream(Files.newOutputStream(path.resolve(name)));
        var files = Files.walk(classes)) {
      if (!providers.isEmpty()) {
        jar.putNextEntry(new JarEntry("META-INF/services/" + service.getName()));
        jar.write(providers.getBytes(StandardCharsets.UTF_8));
      }
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        jar.putNextEntry(new JarEntry(classes.relativize(file).toString()));
        jar.write(Files.readAllBytes(file));
      }
    } catch (IOException failed) {
      throw new AssertionError(failed);
    }
    delete(classes);
    return this;
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException failed) {
      throw new AssertionError(failed);
    }
  }

  /** Compiles sources, by name, into a folder. */
  private static Path compile(Map<String, String> sources) {
    try {
      Path classes = Files.createTempDirectory("nereid-backend");
      if (!sources.isEmpty()) {
        compile(sources, classes);
      }
      return classes;
    } catch (IOException failed) {
      throw new AssertionError(failed);
    }
  }

  private static void compile(Map<String, String> sources, Path classes) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<JavaFileObject> files = new ArrayList<>();
    sources.forEach((name, source) -> files.add(file(name, source)));
    String path = System.getProperty("java.class.path");
    List<String> options = List.of("-proc:none", "-cp", path, "-d", classes.toString());
    var messages = new StringWriter();
    boolean compiled = compiler.getTask(messages, null, null, options, null, files).call();
    assertThat(compiled).as("%s", messages).isTrue();
  }

  private static JavaFileObject file(String name, String source) {
    return new SimpleJavaFileObject(
        URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return source;
      }
    };
  }
}

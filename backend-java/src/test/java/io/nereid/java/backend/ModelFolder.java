package io.nereid.java.backend;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.model.OpenModel;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** The directory of a model {@code m} with version 1, whose code a test writes. */
record ModelFolder(Path directory) {
  /** What the sources of tests begin with. */
  static final String IMPORTS =
      """
      import io.nereid.config.*;
      import io.nereid.error.*;
      import io.nereid.java.*;
      import io.nereid.tensor.*;
      import java.util.*;
      """;

  static final Map<String, String> ALLOWED = Map.of("allow", "true");

  Path version() {
    return directory.resolve("1");
  }

  /** Adds a file, such as a source. */
  ModelFolder with(String name, String text) {
    try {
      Path file = version().resolve(name);
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
      return this;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Adds a source {@code Model.java} of a {@code JavaModel} whose method has that body. */
  ModelFolder withBody(String body) {
    return with("Model.java", model("Model", body));
  }

  /** A source of a {@code JavaModel}. */
  static String model(String name, String body) {
    return IMPORTS
        + """
        public final class %s implements JavaModel {
          @Override public Response infer(Request request, Calls calls) throws Exception {
        %s
          }
        }
        """
            .formatted(name, body);
  }

  /** The body of a model whose output {@code y} is its input {@code x} and this number. */
  static String adding(int number) {
    return """
    float[] x = TensorArrays.floats(request.input("x"));
    for (int i = 0; i < x.length; i++) x[i] += %d;
    return Response.of(TensorArrays.of("y", x, request.input("x").shape().dims()));
    """
        .formatted(number);
  }

  /** Compiles a source into class files in the folder. */
  ModelFolder withClasses(String name, String text) {
    compile(version(), name, text);
    return this;
  }

  /** Compiles a source into a jar in the model's folder {@code lib}. */
  ModelFolder withLibrary(String jar, String name, String text) {
    Path classes = directory.resolveSibling("classes of " + directory.getFileName());
    compile(classes, name, text);
    String file = name.replace(".java", ".class");
    try {
      Path folder = Files.createDirectories(directory.resolve("lib"));
      try (OutputStream out = Files.newOutputStream(folder.resolve(jar));
          var entries = new JarOutputStream(out)) {
        var entry = new JarEntry(file);
        entry.setTime(0); // so that the same class makes the same bytes
        entries.putNextEntry(entry);
        entries.write(Files.readAllBytes(classes.resolve(file)));
      }
      return this;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static void compile(Path folder, String name, String text) {
    Path source = folder.resolve(name);
    try {
      Files.createDirectories(source.getParent());
      Files.writeString(source, text);
      int failed =
          ToolProvider.getSystemJavaCompiler()
              .run(
                  null,
                  null,
                  null,
                  "-proc:none",
                  "-nowarn",
                  "-cp",
                  System.getProperty("java.class.path"),
                  "-d",
                  folder.toString(),
                  source.toString());
      Files.delete(source);
      if (failed != 0) {
        throw new IllegalArgumentException(text);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Moves all class files of the folder into a jar. */
  ModelFolder packed(String jar) {
    try (OutputStream file = Files.newOutputStream(version().resolve(jar));
        var out = new JarOutputStream(file);
        Stream<Path> all = Files.list(version())) {
      for (Path each : all.filter(path -> path.toString().endsWith(".class")).toList()) {
        out.putNextEntry(new JarEntry(each.getFileName().toString()));
        out.write(Files.readAllBytes(each));
        Files.delete(each);
      }
      return this;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** {@code x} and {@code y}, FP32 with one dimension of any size. */
  static ModelConfig config(int maxBatchSize) {
    return ModelConfig.of("m", "java")
        .withSignature(
            maxBatchSize,
            List.of(TensorConfig.of("x", DataType.FP32, Shape.of(-1))),
            List.of(TensorConfig.of("y", DataType.FP32, Shape.of(-1))));
  }

  BackendUnderTest underTest(ModelConfig config) {
    return BackendUnderTest.of(new JavaBackendProvider(), new ModelFiles(directory, 1), config)
        .withOptions(ALLOWED);
  }

  /** Opens the model with {@link #config}, without a batch. */
  OpenModel open() {
    return open(config(0));
  }

  OpenModel open(ModelConfig config) {
    return OpenModel.of(underTest(config));
  }
}

package io.nereid.java.code;

import io.nereid.error.InferenceException;
import io.nereid.java.JavaModel;
import io.nereid.spi.BackendProvider;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import org.jspecify.annotations.Nullable;

/**
 * Compiles the sources of a version by the compiler of this JDK, against the contract, the jars and
 * the classes beside them. Classes stay in memory. Neither annotation processors nor plug-ins of
 * the compiler run, so that a compilation executes no code of the model.
 */
final class SourceCompiler {
  private static final int MAX_ERRORS = 5;
  private static final int MAX_ERROR_LENGTH = 300;

  private static final List<String> OPTIONS =
      List.of(
          "-proc:none",
          "-implicit:none",
          "-encoding",
          "UTF-8",
          "-g",
          "-parameters",
          "-nowarn",
          "-Xlint:none");

  private final String model;
  private final List<Path> libraries;
  private final @Nullable JavaCompiler compiler;

  /**
   * @param model for messages
   * @param libraries jars of the model beside those of the version
   * @param compiler null where this Java runtime has none
   */
  SourceCompiler(String model, List<Path> libraries, @Nullable JavaCompiler compiler) {
    this.model = model;
    this.libraries = List.copyOf(libraries);
    this.compiler = compiler;
  }

  /**
   * Compiles all sources.
   *
   * @return by name, such as {@code com/acme/Model.class}
   * @throws InferenceException INVALID_ARGUMENT with file, line and message of the first errors;
   *     UNAVAILABLE if this Java runtime has no compiler
   */
  Map<String, byte[]> compile(VersionCode code) throws IOException {
    if (compiler == null) {
      throw InferenceException.unavailable(
          ("model '%s' is Java source, and the Java runtime in '%s' has no compiler: run the server"
                  + " on a JDK, or put classes or a jar in the version's folder")
              .formatted(model, System.getProperty("java.home")));
    }
    var errors = new DiagnosticCollector<JavaFileObject>();
    try (StandardJavaFileManager files =
            compiler.getStandardFileManager(errors, Locale.ROOT, StandardCharsets.UTF_8);
        var output = new CompiledClasses(files)) {
      files.setLocationFromPaths(StandardLocation.CLASS_PATH, classPath(code));
      files.setLocationFromPaths(StandardLocation.SOURCE_PATH, List.of());
      // else plug-ins that start by themselves are those of the class path
      files.setLocationFromPaths(StandardLocation.ANNOTATION_PROCESSOR_PATH, List.of());
      var units = files.getJavaFileObjectsFromPaths(code.sources());
      if (!compiler.getTask(null, output, errors, OPTIONS, null, units).call()) {
        throw InferenceException.invalid(
            "model '%s' cannot be compiled: %s".formatted(model, text(code, errors)));
      }
      return output.classes();
    }
  }

  private List<Path> classPath(VersionCode code) {
    List<Path> path = new ArrayList<>(libraries);
    path.addAll(code.jars());
    path.add(code.folder());
    path.add(locationOf(BackendProvider.class));
    path.add(locationOf(JavaModel.class));
    return path;
  }

  private static Path locationOf(Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    if (source == null) {
      throw new IllegalStateException("nothing says where %s is".formatted(type));
    }
    try {
      return Path.of(source.getLocation().toURI());
    } catch (URISyntaxException noUri) {
      throw new IllegalStateException(noUri);
    }
  }

  private static String text(VersionCode code, DiagnosticCollector<JavaFileObject> collected) {
    List<String> errors =
        collected.getDiagnostics().stream()
            .filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
            .map(each -> text(code, each))
            .toList();
    String text = String.join("; ", errors.subList(0, Math.min(errors.size(), MAX_ERRORS)));
    return errors.size() <= MAX_ERRORS
        ? text
        : "%s; and %d more errors".formatted(text, errors.size() - MAX_ERRORS);
  }

  private static String text(VersionCode code, Diagnostic<? extends JavaFileObject> error) {
    String message = error.getMessage(Locale.ROOT).strip().replaceAll("\\s+", " ");
    if (message.length() > MAX_ERROR_LENGTH) {
      message = message.substring(0, MAX_ERROR_LENGTH) + "...";
    }
    JavaFileObject source = error.getSource();
    if (source == null) {
      return message;
    }
    Path file = code.folder().relativize(Path.of(source.toUri()));
    return "%s:%d: %s".formatted(file, error.getLineNumber(), message);
  }

  /** Where the compiler puts its classes. */
  private static final class CompiledClasses
      extends ForwardingJavaFileManager<StandardJavaFileManager> {
    private final Map<String, ByteArrayOutputStream> outputs = new LinkedHashMap<>();

    CompiledClasses(StandardJavaFileManager files) {
      super(files);
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
        Location location, String name, JavaFileObject.Kind kind, @Nullable FileObject sibling) {
      var bytes = new ByteArrayOutputStream();
      String file = name.replace('.', '/') + kind.extension;
      outputs.put(file, bytes);
      return new SimpleJavaFileObject(URI.create("memory:///" + file), kind) {
        @Override
        public OutputStream openOutputStream() {
          return bytes;
        }
      };
    }

    Map<String, byte[]> classes() {
      Map<String, byte[]> classes = new LinkedHashMap<>();
      outputs.forEach((name, bytes) -> classes.put(name, bytes.toByteArray()));
      return classes;
    }
  }
}

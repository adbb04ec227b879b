package io.nereid.tensorrt.doubles;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * Compiles the C sources of {@code src/test/native} with {@code cc} and opens the libraries. A
 * library lies in {@code target/native} under a name with the hash of the sources, and is compiled
 * once.
 */
public final class NativeDoubles {
  /** What a test that needs the doubles says when it is skipped. */
  static final String NO_COMPILER =
      "SKIPPED: there is no C compiler (cc), so the doubles of libcudart and libnvinfer cannot be"
          + " built";

  private static final List<String> FLAGS =
      List.of("-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fPIC", "-pthread");

  private static final boolean COMPILER = hasCompiler();

  private NativeDoubles() {}

  /** Whether there is a C compiler. */
  public static boolean isSupported() {
    return COMPILER;
  }

  private static boolean hasCompiler() {
    try {
      return run(List.of("cc", "--version")).exit == 0;
    } catch (IOException absent) {
      System.err.println(NO_COMPILER + " (" + absent.getMessage() + ")");
      return false;
    }
  }

  /**
   * Compiles a shared library and opens it for the rest of the process.
   *
   * @param source such as {@code cudart_double.c}
   * @param libraries what it is linked with, such as the library of another double
   */
  public static SymbolLookup open(String source, Path... libraries) {
    return SymbolLookup.libraryLookup(compile(source, libraries), Arena.global());
  }

  /** Compiles a shared library, if that was not done before; its path. */
  public static synchronized Path compile(String source, Path... libraries) {
    try {
      Path sources = sources();
      String name = source.replaceFirst("\\.c$", "");
      Path built = sources.resolve("../../../target/native").normalize();
      Path library = built.resolve(name + "-" + hash(sources, source, libraries) + ".so");
      if (!Files.exists(library)) {
        Files.createDirectories(built);
        Path unfinished = Files.createTempFile(built, name, ".so");
        compile(sources.resolve(source), unfinished, libraries);
        Files.move(unfinished, library, StandardCopyOption.ATOMIC_MOVE);
      }
      return library;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private static void compile(Path source, Path library, Path... libraries) throws IOException {
    var command = new ArrayList<>(List.of("cc", "-shared"));
    command.addAll(FLAGS);
    command.addAll(List.of("-I", includes(source).toString()));
    command.addAll(List.of("-o", library.toString(), source.toString()));
    Arrays.stream(libraries).map(Path::toString).forEach(command::add);
    Output output = run(command);
    if (output.exit != 0) {
      throw new IllegalStateException("cc has failed for " + source + ":\n" + output.text);
    }
  }

  /** The tables of TensorRT are described in the headers that the bindings are made from. */
  private static Path includes(Path source) {
    return source.resolveSibling("../../main/native-headers").normalize();
  }

  /** The sources, also for tests of other modules. */
  private static Path sources() {
    return Stream.of("", "backend-tensorrt-ffm/", "../backend-tensorrt-ffm/")
        .map(module -> Path.of(module + "src/test/native").toAbsolutePath().normalize())
        .filter(folder -> Files.exists(folder.resolve("cudart_double.c")))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no src/test/native from here"));
  }

  private static String hash(Path sources, String source, Path... libraries) throws IOException {
    try {
      var digest = MessageDigest.getInstance("SHA-256");
      digest.update(String.join(" ", FLAGS).getBytes(StandardCharsets.UTF_8));
      digest.update(Files.readAllBytes(sources.resolve(source)));
      for (Path folder : List.of(sources, includes(sources.resolve(source)))) {
        try (var files = Files.list(folder)) {
          for (Path header : files.filter(f -> f.toString().endsWith(".h")).sorted().toList()) {
            digest.update(Files.readAllBytes(header));
          }
        }
      }
      for (Path library : libraries) {
        digest.update(library.toString().getBytes(StandardCharsets.UTF_8));
      }
      return HexFormat.of().formatHex(digest.digest()).substring(0, 16);
    } catch (NoSuchAlgorithmException impossible) {
      throw new AssertionError(impossible);
    }
  }

  private record Output(int exit, String text) {}

  private static Output run(List<String> command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      return new Output(process.waitFor(), text);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while " + command.getFirst() + " ran", stopped);
    }
  }
}

package io.nereid.benchmarks.micro.tensorrt;

import io.nereid.engine.file.FileTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The C sources in {@code /native} of the class path, compiled into shared libraries in a temporary
 * directory.
 */
public final class NativeSources implements AutoCloseable {
  private final Path sources = sources();
  private final Path directory;

  /** Creates the directory, which {@link #close} deletes. */
  public NativeSources() throws IOException {
    directory = Files.createTempDirectory("nereid-native");
  }

  private static Path sources() {
    try {
      URL source = NativeSources.class.getResource("/native/table_calls.c");
      return Path.of(Objects.requireNonNull(source).toURI()).resolveSibling("");
    } catch (URISyntaxException | FileSystemNotFoundException packed) {
      throw new IllegalStateException("the C sources must lie in a directory", packed);
    }
  }

  /** Whether there is a C compiler. */
  public static boolean haveCompiler() {
    try {
      return run(new ProcessBuilder("cc", "--version")).isEmpty();
    } catch (IOException missing) {
      return false;
    }
  }

  /**
   * Compiles one of the sources with {@code cc}.
   *
   * @param library the name of the library
   * @param arguments the source, and further arguments
   * @return the library, which may be deleted once it is open
   * @throws IllegalStateException if there is no C compiler, or it fails
   */
  Path compile(String library, String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of("cc", "-O2", "-shared", "-fPIC", "-o", directory.resolve(library).toString()));
    command.addAll(Arrays.asList(arguments));
    try {
      run(new ProcessBuilder(command).directory(sources.toFile()))
          .ifPresent(output -> {
            throw new IllegalStateException(String.join(" ", command) + " failed:\n" + output);
          });
    } catch (IOException missing) {
      throw new IllegalStateException(
          "benchmarks of TensorRT need a C compiler named 'cc': install gcc or clang", missing);
    }
    return directory.resolve(library);
  }

  /** Runs a compiler; what it prints if it fails. */
  private static Optional<String> run(ProcessBuilder command) throws IOException {
    Process compiler = command.redirectErrorStream(true).start();
    String output = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      return compiler.waitFor() == 0 ? Optional.empty() : Optional.of(output);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while 'cc' runs", stop);
    }
  }

  @Override
  public void close() {
    try {
      FileTree.delete(directory);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}

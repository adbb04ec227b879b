package io.nereid.benchmarks.micro;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The functions of {@code /native/table_calls.c} of the class path, which {@code cc} compiles. */
final class TableCalls {
  private TableCalls() {}

  /**
   * Compiles and loads the functions.
   *
   * @param arena unloads them when it is closed
   * @throws IllegalStateException if there is no C compiler, or it fails
   */
  static SymbolLookup open(Arena arena) throws IOException {
    Path library = Files.createTempFile("nereid-table-calls", ".so");
    try {
      var command =
          List.of("cc", "-O2", "-shared", "-fPIC", "-o", library.toString(), source().toString());
      run(command)
          .ifPresent(output -> {
            throw new IllegalStateException(String.join(" ", command) + " failed:\n" + output);
          });
      return SymbolLookup.libraryLookup(library, arena);
    } finally {
      Files.delete(library);
    }
  }

  private static Path source() {
    try {
      URL source = TableCalls.class.getResource("/native/table_calls.c");
      return Path.of(Objects.requireNonNull(source).toURI());
    } catch (URISyntaxException | FileSystemNotFoundException packed) {
      throw new IllegalStateException("the C source must lie in a directory", packed);
    }
  }

  /** Runs a compiler; what it prints if it fails. */
  private static Optional<String> run(List<String> command) throws IOException {
    Process compiler = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      return compiler.waitFor() == 0 ? Optional.empty() : Optional.of(output);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while 'cc' runs", stop);
    }
  }
}

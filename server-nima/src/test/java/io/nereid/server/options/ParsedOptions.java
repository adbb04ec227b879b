package io.nereid.server.options;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;

/**
 * Reads options as {@code serve} does; the last value of an option takes precedence. Unless one
 * says otherwise, servers do not warm up.
 */
public final class ParsedOptions {
  private ParsedOptions() {}

  /**
   * The options that the arguments state.
   *
   * @throws CommandLine.ParameterException if they are invalid
   */
  public static ServerOptions of(String... arguments) {
    return read(new PrintWriter(System.err, true, UTF_8), arguments);
  }

  /** The lines of standard error with which such options are accepted. */
  public static List<String> warnings(String... arguments) {
    var lines = new StringWriter();
    var _ = read(new PrintWriter(lines, true), arguments);
    return lines.toString().lines().toList();
  }

  private static ServerOptions read(PrintWriter warnings, String... arguments) {
    return ServerOptions.read(
        warnings,
        Stream.concat(Stream.of("--server-warmup=0"), Stream.of(arguments)).toArray(String[]::new));
  }
}

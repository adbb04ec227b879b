package io.nereid.server.options;

import io.nereid.server.options.declaration.OptionConverters;
import io.nereid.server.options.declaration.OptionGroup;
import io.nereid.server.options.declaration.OptionValue;
import io.nereid.server.telemetry.logging.LogFormat;
import io.nereid.server.telemetry.logging.LogSettings;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.TypeConversionException;

/** The options of the log; clients may change those but the file that the server lets them. */
public final class LogOptions extends OptionGroup {
  private final OptionValue<Integer> verboseLevel =
      option("--log-verbose=<level>", OptionConverters::verbosity, 0)
          .help(
              "0: information, warnings and errors; 1: details of the server; 2: information of"
                  + " libraries too. Default: 0.");

  private final OptionValue<Boolean> info =
      toggle("--log-info", true).help("Whether information is logged.");

  private final OptionValue<Boolean> warning =
      toggle("--log-warning", true).help("Whether warnings are logged.");

  private final OptionValue<Boolean> error =
      toggle("--log-error", true).help("Whether errors are logged.");

  private final OptionValue<LogFormat> format =
      option("--log-format=<format>", LogOptions::format, LogFormat.DEFAULT)
          .help(
              "A line: default for LMMDD hh:mm:ss.ssssss and the message, ISO8601 for"
                  + " YYYY-MM-DDThh:mm:ssZ L, json for an object.");

  private final OptionValue<String> file =
      option("--log-file=<file>", String.class, "")
          .help("File to append the log to. Default: standard error.");

  private final OptionValue<String> accessLog =
      option("--access-log=<file>", String.class, null)
          .help(
              "File to append a line of JSON to for each request of HTTP and gRPC; - for standard"
                  + " output. Default: none.");

  private final OptionValue<Boolean> givesRequestIds =
      toggle("--access-log-request-ids", false)
          .help(
              "Whether each request has an id in the access log, its X-Request-Id or a new one,"
                  + " which its response has, too.");

  void check(CommandLine line) {
    if (givesRequestIds.get() && accessLog().isEmpty()) {
      throw new CommandLine.ParameterException(
          line, "--access-log-request-ids needs --access-log, which has the ids");
    }
  }

  /** Whether a request without an id gets one, and responses have it. */
  public boolean givesRequestIds() {
    return givesRequestIds.get();
  }

  /** The file of the access log, - for standard output; empty if there is no access log. */
  public Optional<String> accessLog() {
    return accessLog.given();
  }

  public LogSettings settings() {
    return new LogSettings(
        file.get(), info.get(), warning.get(), error.get(), verboseLevel.get(), format.get());
  }

  /** A format, with Triton's message. */
  private static LogFormat format(String text) {
    return LogFormat.parse(text)
        .orElseThrow(() ->
            new TypeConversionException(
                "expected default, ISO8601 or json, got '%s'".formatted(text)));
  }
}

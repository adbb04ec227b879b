package io.nereid.server.options;

import io.nereid.server.telemetry.logging.LogFormat;
import io.nereid.server.telemetry.logging.LogSettings;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options of the log; clients may change those but the file that the server lets them. */
public final class LogOptions {
  @Option(
      names = "--log-verbose",
      paramLabel = "<level>",
      description =
          "0: information, warnings and errors; 1: details of the server; 2: information of"
              + " libraries too. Default: 0.",
      converter = OptionConverters.Verbosity.class)
  private int verboseLevel = 0;

  @Option(
      names = "--log-info",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description = "Whether information is logged. Default: ${DEFAULT-VALUE}.")
  private boolean info = true;

  @Option(
      names = "--log-warning",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description = "Whether warnings are logged. Default: ${DEFAULT-VALUE}.")
  private boolean warning = true;

  @Option(
      names = "--log-error",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description = "Whether errors are logged. Default: ${DEFAULT-VALUE}.")
  private boolean error = true;

  @Option(
      names = "--log-format",
      paramLabel = "<format>",
      converter = Format.class,
      description =
          "A line: default for LMMDD hh:mm:ss.ssssss and the message, ISO8601 for"
              + " YYYY-MM-DDThh:mm:ssZ L, json for an object. Default: ${DEFAULT-VALUE}.")
  private LogFormat format = LogFormat.DEFAULT;

  @Option(
      names = "--log-file",
      paramLabel = "<file>",
      description = "File to append the log to. Default: standard error.")
  private String file = "";

  @Option(
      names = "--access-log",
      paramLabel = "<file>",
      description =
          "File to append a line of JSON to for each request of HTTP and gRPC; - for standard"
              + " output. Default: none.")
  private @Nullable String accessLog;

  @Option(
      names = "--access-log-request-ids",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description =
          "Whether each request has an id in the access log, its X-Request-Id or a new one, which"
              + " its response has, too. Default: ${DEFAULT-VALUE}.")
  private boolean givesRequestIds = false;

  void check(CommandLine line) {
    if (givesRequestIds && accessLog == null) {
      throw new CommandLine.ParameterException(
          line, "--access-log-request-ids needs --access-log, which has the ids");
    }
  }

  /** Whether a request without an id gets one, and responses have it. */
  public boolean givesRequestIds() {
    return givesRequestIds;
  }

  /** The file of the access log, - for standard output; empty if there is no access log. */
  public Optional<String> accessLog() {
    return Optional.ofNullable(accessLog);
  }

  public LogSettings settings() {
    return new LogSettings(file, info, warning, error, verboseLevel, format);
  }

  /** A format, with Triton's message. */
  static final class Format implements ITypeConverter<LogFormat> {
    @Override
    public LogFormat convert(String text) {
      return LogFormat.parse(text)
          .orElseThrow(() ->
              new TypeConversionException(
                  "expected default, ISO8601 or json, got '%s'".formatted(text)));
    }
  }
}

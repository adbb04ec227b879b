package io.nereid.server.telemetry.logging;

import io.nereid.engine.plugin.ProviderSearch;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.StackWalker.StackFrame;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The lines of the log in Triton's formats, in UTC:
 *
 * <pre>
 * I1121 06:58:01.123456 4711 NereidServer.java:151] "message"
 * 2026-11-21T06:58:01Z I 4711 NereidServer.java:151] "message"
 * I1121 06:58:01.123456 4711 trees/MyBackend.java:15] "message of the backend trees"
 * </pre>
 *
 * <p>or as an object of JSON, with the stack trace in it:
 *
 * <pre>
 * {"time":"2026-11-21T06:58:01.123456Z","level":"info","pid":4711,"source":"NereidServer.java:151","message":"message"}
 * </pre>
 *
 * <p>A message is a JSON string, so what clients send begins no line and controls no terminal;
 * unless the environment variable {@code TRITON_SERVER_ESCAPE_LOG_MESSAGES} is 0. A stack trace
 * follows its message, indented by a tab. Used by the thread that logs, which is asked for the line
 * of its source.
 */
final class LogFormatter extends Formatter {
  private static final DateTimeFormatter DEFAULT_TIME =
      DateTimeFormatter.ofPattern("MMdd HH:mm:ss.SSSSSS").withZone(ZoneOffset.UTC);

  private static final DateTimeFormatter ISO_TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss'Z'").withZone(ZoneOffset.UTC);

  private static final DateTimeFormatter JSON_TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

  /** What JSON leaves as it is and a terminal obeys: C1 controls, directions, line separators. */
  private static final Pattern CONTROLS = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");

  /** The most characters of a message, and of a line of a stack trace. */
  private static final int MAX_LENGTH = 1 << 16;

  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  private static final StackWalker STACK =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  /** How the names of the classes begin that are between a caller and the formatter. */
  private static final List<String> LOGGING =
      List.of("java.", "jdk.", "sun.", LogHandler.class.getName());

  /** How the names of the loggers begin that backends get from their contexts. */
  private static final String BACKENDS = "io.nereid.backend.";

  private static final Pattern ODD = Pattern.compile("[^\\w.-]");

  private final long pid = ProcessHandle.current().pid();
  private final boolean escapes;
  private volatile LogFormat format;

  LogFormatter(LogFormat format, boolean escapes) {
    this.format = format;
    this.escapes = escapes;
  }

  /** Whether messages are escaped, by the value of the environment variable. */
  static boolean escapes(@Nullable String variable) {
    return !"0".equals(variable);
  }

  void format(LogFormat newFormat) {
    format = newFormat;
  }

  @Override
  public String format(LogRecord record) {
    String name = LogTail.name(record.getLevel());
    char level = Character.toUpperCase(name.charAt(0));
    return switch (format) {
      case DEFAULT -> text(level + DEFAULT_TIME.format(record.getInstant()), record);
      case ISO8601 -> text(ISO_TIME.format(record.getInstant()) + ' ' + level, record);
      case JSON -> json(name, record);
    };
  }

  private String json(String level, LogRecord record) {
    String message = formatMessage(record);
    var line =
        new StringBuilder("{\"time\":\"")
            .append(JSON_TIME.format(record.getInstant()))
            .append("\",\"level\":\"")
            .append(level)
            .append("\",\"pid\":")
            .append(pid)
            .append(",\"source\":")
            .append(quoted(source(record)))
            .append(",\"message\":")
            .append(quoted(limited(isTable(record) ? message.strip() : message)));
    if (record.getThrown() != null) {
      line.append(",\"stack\":").append(quoted(limited(stackTrace(record.getThrown()))));
    }
    return line.append("}\n").toString();
  }

  private String text(String timeAndLevel, LogRecord record) {
    var line = new StringBuilder(timeAndLevel);
    line.append(' ').append(pid).append(' ').append(source(record)).append("] ");
    String message = formatMessage(record);
    line.append(isTable(record) ? message : written(message)).append('\n');
    if (record.getThrown() != null) {
      stackTrace(record.getThrown())
          .lines()
          .map(String::strip)
          .map(this::written)
          .map(traced -> escapes ? traced.substring(1, traced.length() - 1) : traced)
          .forEach(traced -> line.append('\t').append(traced).append('\n'));
    }
    return line.toString();
  }

  /** A table has lines of its own, without a heading. */
  private static boolean isTable(LogRecord record) {
    Object[] parameters = record.getParameters();
    return parameters != null && parameters.length == 1 && parameters[0] instanceof ModelTable;
  }

  /**
   * File and line: those of the logger's class, whose name most loggers have, if it is the caller.
   * Those of a backend's logger are its caller's. What a backend logs has its name in front.
   */
  private static String source(LogRecord record) {
    String logger = String.valueOf(record.getLoggerName());
    List<StackFrame> callers =
        STACK.walk(frames -> frames.filter(frame -> !isOfLogging(frame.getClassName())).toList());
    if (logger.startsWith(BACKENDS)) {
      return prefix(logger.substring(BACKENDS.length()))
          + callers.stream().findFirst().map(LogFormatter::line).orElse("backend:0");
    }
    Optional<StackFrame> own =
        callers.stream().filter(frame -> frame.getClassName().startsWith(logger)).findFirst();
    String line =
        own.map(LogFormatter::line)
            .orElseGet(() -> logger.substring(logger.lastIndexOf('.') + 1) + ":0");
    return own.or(() -> callers.stream().findFirst())
            .flatMap(frame -> ProviderSearch.folderName(frame.getDeclaringClass()))
            .map(LogFormatter::prefix)
            .orElse("")
        + line;
  }

  private static boolean isOfLogging(String className) {
    return className.equals(LogFormatter.class.getName())
        || LOGGING.stream().anyMatch(className::startsWith);
  }

  private static String line(StackFrame frame) {
    String file = frame.getFileName();
    return (file == null ? frame.getDeclaringClass().getSimpleName() : file)
        + ":"
        + Math.max(0, frame.getLineNumber());
  }

  /** A backend may have any name, and a line only one source. */
  private static String prefix(String backend) {
    return ODD.matcher(backend).replaceAll("_") + "/";
  }

  private String written(String message) {
    String text = limited(message);
    return escapes ? quoted(text) : text;
  }

  private static String limited(String message) {
    return message.length() <= MAX_LENGTH
        ? message
        : message.substring(0, MAX_LENGTH)
            + "... (%d more characters)".formatted(message.length() - MAX_LENGTH);
  }

  private static String quoted(String message) {
    String escaped =
        message
            .replace("\\", "\\\\")
            .replace("\"", "\\\"")
            .replace("\b", "\\b")
            .replace("\f", "\\f")
            .replace("\n", "\\n")
            .replace("\r", "\\r")
            .replace("\t", "\\t");
    return '"' + withoutControls(escaped) + '"';
  }

  /** A text that begins no line and controls no terminal. */
  static String withoutControls(String text) {
    return CONTROLS.matcher(text).replaceAll(control -> escaped(control.group()));
  }

  /** Escapes each half of a character, as JSON has it; for a replacement, so doubled. */
  private static String escaped(String control) {
    var text = new StringBuilder();
    control.chars().forEach(half -> text.append("\\\\u").append(HEX.toHexDigits((char) half)));
    return text.toString();
  }

  private static String stackTrace(Throwable thrown) {
    var text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text, true));
    return text.toString();
  }
}

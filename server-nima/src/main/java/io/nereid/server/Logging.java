package io.nereid.server;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** The configuration of the log: one line a record on standard error, in Triton's format. */
final class Logging {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("MMdd HH:mm:ss.SSSSSS").withZone(ZoneOffset.UTC);

  /** Strongly referenced: the log manager forgets loggers, and their levels, that are not. */
  private static final Logger NEREID = Logger.getLogger("io.nereid");

  private static final Logger ROOT = Logger.getLogger("");

  /** Logs warnings with stack traces for what clients do: cancel, or send broken messages. */
  private static final Logger GRPC_STREAMS = Logger.getLogger("io.grpc.netty");

  /** Logs an error with a stack trace for each message that protobuf cannot parse. */
  private static final Logger GRPC_CALLS =
      Logger.getLogger("io.grpc.internal.SerializeReentrantCallsDirectExecutor");

  private Logging() {}

  /**
   * Sets handler, format and levels.
   *
   * @param verbosity 0: information, warnings, errors; 1 and more: details of the server; 2 and
   *     more: of its libraries too
   */
  static void configure(int verbosity) {
    disable();
    var console = new ConsoleHandler();
    console.setLevel(Level.ALL);
    console.setFormatter(new TritonFormatter());
    ROOT.addHandler(console);
    ROOT.setLevel(verbosity > 1 ? Level.FINE : Level.WARNING);
    NEREID.setLevel(verbosity > 0 ? Level.FINE : Level.INFO);
    GRPC_STREAMS.setLevel(verbosity > 0 ? Level.FINE : Level.SEVERE);
    GRPC_CALLS.setLevel(verbosity > 0 ? Level.FINE : Level.OFF);
  }

  /** Removes all handlers, for a command that itself reports what the log would say. */
  static void disable() {
    for (Handler handler : ROOT.getHandlers()) {
      ROOT.removeHandler(handler);
    }
  }

  /**
   * A log manager that keeps its handlers while the process ends. The JDK's removes them in a
   * shutdown hook that runs concurrently with {@link Shutdown}'s, whose last lines would be lost.
   * Public, since the JDK creates it by name.
   */
  public static final class Manager extends LogManager {
    @Override
    public void reset() {
      // configure() is the only one that removes handlers.
    }
  }

  /** {@code I1121 06:58:01.123456 4711 InferenceServer] message}; UTC. */
  private static final class TritonFormatter extends Formatter {
    private final long pid = ProcessHandle.current().pid();

    @Override
    public String format(LogRecord record) {
      char level =
          record.getLevel().intValue() >= Level.SEVERE.intValue()
              ? 'E'
              : record.getLevel().intValue() >= Level.WARNING.intValue() ? 'W' : 'I';
      String logger = String.valueOf(record.getLoggerName());
      var text = new StringWriter();
      text.append(level)
          .append(TIME.format(record.getInstant()))
          .append(' ')
          .append(Long.toString(pid))
          .append(' ')
          .append(logger.substring(logger.lastIndexOf('.') + 1))
          .append("] ")
          .append(formatMessage(record))
          .append('\n');
      if (record.getThrown() != null) {
        record.getThrown().printStackTrace(new PrintWriter(text, true));
      }
      return text.toString();
    }
  }
}

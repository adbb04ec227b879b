package io.nereid.server.telemetry.logging;

import io.nereid.engine.telemetry.ClientSettings;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;

/** The configuration of the log: a handler with Triton's format, and the levels of the loggers. */
public final class Logging {
  /** Strongly referenced: the log manager forgets loggers, and their levels, that are not. */
  private static final Logger NEREID = Logger.getLogger("io.nereid");

  private static final Logger ROOT = Logger.getLogger("");

  /**
   * The property that has libraries log their details from the second level on. They log headers
   * with secrets as they come, so no level is enough, and no client can ask for them.
   */
  private static final String WIRE = "nereid.log.wire";

  /** Logs warnings with stack traces for what clients do: cancel, or send broken messages. */
  private static final Logger GRPC_STREAMS = Logger.getLogger("io.grpc.netty");

  /** Logs an error with a stack trace for each message that protobuf cannot parse. */
  private static final Logger GRPC_CALLS =
      Logger.getLogger("io.grpc.internal.SerializeReentrantCallsDirectExecutor");

  /** Its information is hundreds of lines for a model. */
  private static final Logger ONNX_RUNTIME = Logger.getLogger("ai.onnxruntime");

  /** The loggers of the packages of backends. */
  private static List<Logger> backends = List.of();

  private Logging() {}

  /**
   * Sets handler, format and levels.
   *
   * @param clients what clients may change of them
   * @param tail gets the lines too
   * @return changes all of the settings but the file
   * @throws IOException if the file cannot be opened
   */
  public static LogControl configure(LogSettings settings, ClientSettings clients, LogTail tail)
      throws IOException {
    OutputStream target =
        settings.file().isEmpty()
            ? System.err
            : ReopenedFile.open(Path.of(settings.file()), System::nanoTime);
    disable();
    var formatter =
        new LogFormatter(
            settings.format(),
            LogFormatter.escapes(System.getenv("TRITON_SERVER_ESCAPE_LOG_MESSAGES")));
    var handler = new LogHandler(target, formatter, settings, System.err, System::nanoTime, tail);
    ROOT.addHandler(handler);
    setLevels(settings.verboseLevel());
    return new LogControl(
        settings,
        clients,
        changed -> {
          formatter.format(changed.format());
          handler.show(changed);
          setLevels(changed.verboseLevel());
        },
        handler::lostLines,
        tail);
  }

  /**
   * Shows what the code of backends logs as what the server logs: from information on, unlike that
   * of libraries.
   *
   * @param packages of the backends
   */
  public static synchronized void showBackends(Collection<String> packages, LogControl log) {
    backends = packages.stream().map(Logger::getLogger).toList();
    setLevels(log.settings().verboseLevel());
  }

  private static synchronized void setLevels(int verboseLevel) {
    boolean wire = verboseLevel > 1 && Boolean.getBoolean(WIRE);
    Level information = verboseLevel > 1 ? Level.INFO : Level.WARNING;
    ROOT.setLevel(wire ? Level.FINE : information);
    NEREID.setLevel(verboseLevel > 0 ? Level.FINE : Level.INFO);
    backends.forEach(logger -> logger.setLevel(NEREID.getLevel()));
    ONNX_RUNTIME.setLevel(verboseLevel > 1 ? Level.FINE : Level.WARNING);
    GRPC_STREAMS.setLevel(wire ? Level.FINE : Level.SEVERE);
    GRPC_CALLS.setLevel(wire ? Level.FINE : Level.OFF);
  }

  /** Removes all handlers, for a command that itself reports what the log would say. */
  public static void disable() {
    for (Handler handler : ROOT.getHandlers()) {
      ROOT.removeHandler(handler);
    }
  }

  /**
   * A log manager that keeps its handlers while the process ends. The JDK's removes them in a
   * shutdown hook that runs concurrently with the server's, whose last lines would be lost. Public,
   * since the JDK creates it by name.
   */
  public static final class Manager extends LogManager {
    @Override
    public void reset() {
      // configure() is the only one that removes handlers.
    }
  }
}

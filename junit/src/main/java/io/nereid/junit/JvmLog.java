package io.nereid.junit;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;

/**
 * What servers log in this JVM by {@code java.util.logging}, kept from the handlers of the tests
 * until the close. A program with another {@link System.LoggerFinder} has the log there.
 */
@SuppressWarnings("deprecation") // JUnit 5.12 closes no other values of its stores
final class JvmLog implements AutoCloseable, CloseableResource {
  /** Strongly referenced: the log manager forgets loggers that are not. */
  private final List<Logger> loggers =
      List.of(Logger.getLogger("io.nereid"), Logger.getLogger("io.helidon"));

  private final List<Boolean> before = loggers.stream().map(Logger::getUseParentHandlers).toList();
  private final ServerLog log = new ServerLog();
  private final Handler handler = new Capture();

  JvmLog() {
    for (Logger logger : loggers) {
      logger.addHandler(handler);
      logger.setUseParentHandlers(false);
    }
  }

  ServerLog log() {
    return log;
  }

  @Override
  public void close() {
    for (int i = 0; i < loggers.size(); i++) {
      loggers.get(i).removeHandler(handler);
      loggers.get(i).setUseParentHandlers(before.get(i));
    }
  }

  private final class Capture extends Handler { // of all levels
    private final SimpleFormatter formatter = new SimpleFormatter();

    @Override
    public void publish(LogRecord record) {
      String head = "%tT.%<tL %s ".formatted(record.getMillis(), record.getLevel().getName());
      (head + formatter.formatMessage(record)).lines().forEach(log::add);
      if (record.getThrown() != null) {
        var trace = new StringWriter();
        record.getThrown().printStackTrace(new PrintWriter(trace));
        trace.toString().lines().forEach(log::add);
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}

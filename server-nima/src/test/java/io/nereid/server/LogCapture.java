package io.nereid.server;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.jspecify.annotations.Nullable;

/** The records of a logger, from its creation until it is closed: INFO and above at least. */
public final class LogCapture extends Handler implements AutoCloseable {
  private final Logger logger;
  private final @Nullable Level level;
  private final List<LogRecord> records = new CopyOnWriteArrayList<>();

  /**
   * @param name of a class or package
   */
  public LogCapture(String name) {
    logger = Logger.getLogger(name);
    level = logger.getLevel();
    if (!logger.isLoggable(Level.INFO)) { // another test may have silenced a package
      logger.setLevel(Level.INFO);
    }
    logger.addHandler(this);
  }

  public List<LogRecord> records() {
    return records;
  }

  /** The formatted messages. */
  public List<String> messages() {
    var formatter = new SimpleFormatter();
    return records.stream().map(formatter::formatMessage).toList();
  }

  @Override
  public void publish(LogRecord record) {
    records.add(record);
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setLevel(level);
  }
}

package io.nereid.engine.testing;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.jspecify.annotations.Nullable;

/**
 * The records of a logger from its creation until it is closed, at least those of a level and
 * above. A line that is logged under a monitor of the engine fails the test at the close.
 */
public final class LogCapture extends Handler implements AutoCloseable {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final Logger logger;
  private final @Nullable Level level;
  private final List<LogRecord> records = new CopyOnWriteArrayList<>();
  private final List<String> held = new CopyOnWriteArrayList<>();

  /**
   * @param name of a class or package
   */
  public LogCapture(String name) {
    this(name, Level.INFO);
  }

  /**
   * @param least records of this level and above are kept, whatever the level of the logger is
   */
  public LogCapture(String name, Level least) {
    logger = Logger.getLogger(name);
    level = logger.getLevel();
    if (!logger.isLoggable(least)) { // another test may have silenced a package
      logger.setLevel(least);
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

  /** Waits until there are that many records, and returns the formatted messages. */
  public synchronized List<String> await(int count) throws InterruptedException {
    while (records.size() < count) {
      wait();
    }
    return messages();
  }

  /** Notes the monitors of the engine that this thread holds: a handler may wait for anything. */
  private void noteMonitors(LogRecord record) {
    if (Thread.currentThread().isVirtual()) {
      return; // of which the JVM does not tell
    }
    long[] self = {Thread.currentThread().threadId()};
    for (var monitor : THREADS.getThreadInfo(self, true, false)[0].getLockedMonitors()) {
      String holder = monitor.getLockedStackFrame().getClassName();
      if (holder.startsWith("io.nereid.engine.") && !holder.contains("Test")) {
        held.add(record.getLoggerName() + " logs while " + holder + " holds " + monitor);
      }
    }
  }

  @Override
  public void publish(LogRecord record) {
    noteMonitors(record);
    synchronized (this) {
      records.add(record);
      notifyAll();
    }
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setLevel(level);
    if (!held.isEmpty()) {
      throw new AssertionError(held);
    }
  }
}

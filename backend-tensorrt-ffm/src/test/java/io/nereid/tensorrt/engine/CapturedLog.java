package io.nereid.tensorrt.engine;

import java.text.MessageFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** What a logger is given, of all levels, until it is closed; it is not printed meanwhile. */
public final class CapturedLog extends Handler implements AutoCloseable {
  private final Logger logger;
  private final @Nullable Level level;
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private volatile @Nullable Error failure;
  private volatile Consumer<String> listener = _ -> {};

  private CapturedLog(Logger logger) {
    this.logger = logger;
    this.level = logger.getLevel();
    logger.setLevel(Level.ALL);
    logger.setUseParentHandlers(false);
    logger.addHandler(this);
  }

  public static CapturedLog of(String name) {
    return new CapturedLog(Logger.getLogger(name));
  }

  /** Calls {@code listener} with the text of each line, on the thread that logs it. */
  public CapturedLog andTell(Consumer<String> listener) {
    this.listener = listener;
    return this;
  }

  /** Lets this log throw for every line. */
  void failWith(Error error) {
    failure = error;
  }

  /** The lines as level and text. */
  public List<String> lines() {
    return lines;
  }

  /** Sets the least level that is logged. */
  public void limit(Level least) {
    logger.setLevel(least);
  }

  @Override
  public void publish(LogRecord record) {
    Error planted = failure;
    if (planted != null) {
      throw planted;
    }
    String text = MessageFormat.format(record.getMessage(), record.getParameters());
    lines.add(record.getLevel() + " " + text);
    listener.accept(text);
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setUseParentHandlers(true);
    logger.setLevel(level);
  }
}

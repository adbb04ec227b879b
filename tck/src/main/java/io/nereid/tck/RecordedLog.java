package io.nereid.tck;

import java.text.MessageFormat;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/** A logger that keeps its last lines, and passes them on to the log of the process. */
final class RecordedLog implements System.Logger {
  private static final int MAX_LINES = 1000;

  private final System.Logger process;
  private final Deque<String> lines = new ArrayDeque<>();

  RecordedLog(String name) {
    this.process = System.getLogger(name);
  }

  /** The lines, the first one first. */
  List<String> lines() {
    synchronized (lines) {
      return List.copyOf(lines);
    }
  }

  @Override
  public String getName() {
    return process.getName();
  }

  @Override
  public boolean isLoggable(Level level) {
    return isRecorded(level) || process.isLoggable(level);
  }

  @Override
  public void log(
      Level level,
      @Nullable ResourceBundle bundle,
      @Nullable String message,
      @Nullable Throwable thrown) {
    record(level, thrown == null ? "" + message : message + ": " + thrown);
    process.log(level, bundle, message, thrown);
  }

  @Override
  public void log(
      Level level,
      @Nullable ResourceBundle bundle,
      @Nullable String format,
      @Nullable Object... parameters) {
    boolean isPlain = format == null || parameters == null || parameters.length == 0;
    record(level, isPlain ? "" + format : MessageFormat.format(format, parameters));
    process.log(level, bundle, format, parameters);
  }

  private static boolean isRecorded(Level level) {
    return level != Level.OFF && level.compareTo(Level.INFO) >= 0;
  }

  private void record(Level level, String line) {
    if (isRecorded(level)) {
      synchronized (lines) {
        if (lines.size() == MAX_LINES) {
          lines.removeFirst();
        }
        lines.addLast(level + " " + line);
      }
    }
  }
}

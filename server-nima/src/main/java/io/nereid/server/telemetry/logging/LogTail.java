package io.nereid.server.telemetry.logging;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.logging.Level;

/**
 * The last lines of the log, in memory: errors, warnings and information. Details are left out,
 * since those of libraries have headers of requests as they came. Thread-safe.
 */
public final class LogTail {
  /** The lines that the console shows. */
  public static final int KEPT = 500;

  /** The most characters of a line. */
  static final int MAX_LENGTH = 4_000;

  /**
   * A line, or several of one message.
   *
   * @param number how many there were before it
   * @param level {@code error}, {@code warning} or {@code info}
   */
  public record Line(long number, String level, String text) {}

  private final int kept;
  private final Deque<Line> lines = new ArrayDeque<>();
  private long count;

  /**
   * @param kept how many lines are kept; 0 for none
   */
  public LogTail(int kept) {
    this.kept = kept;
  }

  /** A line was logged. */
  void add(Level level, String line) {
    if (kept == 0 || level.intValue() < Level.INFO.intValue()) {
      return;
    }
    String text =
        line.length() <= MAX_LENGTH ? line.stripTrailing() : line.substring(0, MAX_LENGTH) + "…";
    synchronized (this) {
      lines.addLast(new Line(count++, name(level), text));
      if (lines.size() > kept) {
        lines.removeFirst();
      }
    }
  }

  /** A level as lines name it. */
  static String name(Level level) {
    if (level.intValue() >= Level.SEVERE.intValue()) {
      return "error";
    }
    return level.intValue() >= Level.WARNING.intValue() ? "warning" : "info";
  }

  /** The lines that are kept whose number is at least that, in order. */
  public synchronized List<Line> since(long number) {
    return lines.stream().filter(line -> line.number >= number).toList();
  }
}

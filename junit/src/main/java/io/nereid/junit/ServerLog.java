package io.nereid.junit;

import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.Deque;

/** The last lines that a server has logged and that were not shown. Thread-safe. */
final class ServerLog {
  private static final int MAX_LINES = 1_000;

  private final Deque<String> lines = new ArrayDeque<>();
  private long dropped;

  synchronized void add(String line) {
    lines.addLast(line);
    if (lines.size() > MAX_LINES) {
      lines.removeFirst();
      dropped++;
    }
  }

  /** Prints the lines under a title, once; nothing if there are none. */
  synchronized void show(String title, PrintStream target) {
    if (lines.isEmpty()) {
      return;
    }
    target.println(title + ":");
    if (dropped > 0) {
      target.println("  (and %d lines before)".formatted(dropped));
    }
    lines.forEach(line -> target.println("  " + line));
    lines.clear();
    dropped = 0;
  }
}

package io.nereid.java.backend;

import io.nereid.java.code.ModelClass;
import java.lang.System.Logger.Level;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Says which threads a version has left behind when it was closed: they keep its classes in memory.
 */
final class LeftThreads {
  private static final int MAX_NAMES = 10;

  private LeftThreads() {}

  /** The names of the platform threads whose context class loader is that one, except this. */
  static List<String> of(ClassLoader loader) {
    ThreadGroup root = Thread.currentThread().getThreadGroup();
    while (root != null && root.getParent() != null) {
      root = root.getParent();
    }
    if (root == null) {
      return List.of();
    }
    Thread[] all = new Thread[root.activeCount() + 64];
    int count = root.enumerate(all);
    return Arrays.stream(all, 0, count)
        .filter(thread -> !thread.equals(Thread.currentThread()))
        .filter(thread -> Objects.equals(thread.getContextClassLoader(), loader))
        .map(Thread::getName)
        .sorted()
        .toList();
  }

  /** Logs those that are left; none of an object of the program, whose loader others have too. */
  static void report(System.Logger logger, String model, long version, Class<?> type) {
    List<String> left = ModelClass.isLoaded(type) ? of(type.getClassLoader()) : List.of();
    if (!left.isEmpty()) {
      logger.log(
          Level.WARNING,
          "model ''{0}'' version {1} is closed and has left {2} threads, which keep its classes in"
              + " memory: {3}",
          model,
          Long.toString(version),
          Integer.toString(left.size()),
          String.join(", ", left.subList(0, Math.min(left.size(), MAX_NAMES))));
    }
  }
}

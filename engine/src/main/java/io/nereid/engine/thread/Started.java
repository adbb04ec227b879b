package io.nereid.engine.thread;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What was started, one thing after the other. It is closed in the opposite order: at the end, or
 * when a later start fails, so that nothing stays behind. Used by one thread at a time.
 */
public final class Started implements AutoCloseable {
  private final Deque<Runnable> ends = new ArrayDeque<>();

  /** Notes a thing that was started, and returns it. */
  public <T> T add(T thing, Runnable end) {
    ends.push(end);
    return thing;
  }

  /** Ends everything that was started, also if an end throws; the first exception is thrown on. */
  @Override
  public void close() {
    RuntimeException first = null;
    while (!ends.isEmpty()) {
      try {
        ends.pop().run();
      } catch (RuntimeException thrown) {
        if (first == null) {
          first = thrown;
        } else {
          first.addSuppressed(thrown);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }
}

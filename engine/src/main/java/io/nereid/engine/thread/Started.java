package io.nereid.engine.thread;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What was started, one thing after the other. It is ended in the opposite order: at the end, or
 * when a later start fails, so that nothing stays behind. Thread-safe, since a signal may end what
 * is being started: what is added behind the end is ended at once.
 */
public final class Started implements AutoCloseable {
  private final Deque<Runnable> ends = new ArrayDeque<>();
  private boolean closed;

  /** Notes a thing that was started, and returns it. */
  public <T> T add(T thing, Runnable end) {
    synchronized (this) {
      if (!closed) {
        ends.push(end);
        return thing;
      }
    }
    end.run();
    return thing;
  }

  private synchronized @Nullable Runnable next() {
    closed = true;
    return ends.poll();
  }

  /**
   * Ends everything that was started, also if an end throws; what the first one threw is thrown on.
   */
  @Override
  public void close() {
    Throwable first = null;
    for (Runnable end = next(); end != null; end = next()) {
      try {
        end.run();
      } catch (RuntimeException | Error thrown) {
        if (first == null) {
          first = thrown;
        } else {
          first.addSuppressed(thrown);
        }
      }
    }
    switch (first) {
      case null -> {}
      case RuntimeException thrown -> throw thrown;
      case Error thrown -> throw thrown;
      case Throwable impossible -> throw new IllegalStateException(impossible);
    }
  }
}

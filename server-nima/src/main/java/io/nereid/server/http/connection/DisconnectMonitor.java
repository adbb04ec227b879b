package io.nereid.server.http.connection;

import io.nereid.engine.thread.ThreadGuard;
import io.nereid.server.http.message.ReadAhead;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread that checks all connections every {@link #PERIOD}. It starts a {@linkplain ReadAhead
 * read ahead} on those whose request has waited since the previous check. A request with an earlier
 * response costs no system call and no thread. More seldom it checks the deadlines of clients.
 */
final class DisconnectMonitor implements AutoCloseable {
  /** A disconnect is noticed after one to two periods of waiting. */
  static final Duration PERIOD = Duration.ofMillis(20);

  /** So many periods are between two checks of deadlines. */
  private static final int DEADLINES = 5;

  private final Set<ReadAhead> connections = ConcurrentHashMap.newKeySet();
  private final ThreadGuard guard = new ThreadGuard("connection monitor");
  private volatile @Nullable Thread thread;
  private volatile boolean closed;

  /**
   * Starts the thread.
   *
   * @param deadlines is run every {@link #DEADLINES} periods
   */
  void start(Runnable deadlines) {
    thread = Thread.ofPlatform().daemon().name("connection monitor").start(() -> run(deadlines));
  }

  void add(ReadAhead connection) {
    connections.add(connection);
  }

  void remove(ReadAhead connection) {
    connections.remove(connection);
  }

  private void run(Runnable deadlines) {
    int periods = 0;
    while (!closed) {
      // Without a connection there are only the deadlines of those that have not begun.
      int sleep = connections.isEmpty() ? DEADLINES : 1;
      LockSupport.parkNanos(this, sleep * PERIOD.toNanos());
      guard.run(() -> connections.forEach(ReadAhead::check));
      periods += sleep;
      if (periods >= DEADLINES) {
        periods = 0;
        guard.run(deadlines);
      }
    }
  }

  /** Whether connections are checked. */
  boolean isWorking() {
    return guard.isWorking();
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}

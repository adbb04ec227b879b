package io.nereid.server.http.connection;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread that checks all connections every {@link #PERIOD}. It starts a {@linkplain ReadAhead
 * read ahead} on those whose request has waited since the previous check. A request with an earlier
 * response costs no system call and no thread.
 */
final class DisconnectMonitor implements AutoCloseable {
  /** A disconnect is noticed after one to two periods of waiting. */
  static final Duration PERIOD = Duration.ofMillis(20);

  private final Set<ReadAhead> connections = ConcurrentHashMap.newKeySet();
  private final Thread thread =
      Thread.ofPlatform().daemon().name("disconnect monitor").unstarted(this::run);
  private volatile boolean idle;
  private volatile boolean closed;

  /** Starts the thread. */
  void start() {
    thread.start();
  }

  void add(ReadAhead connection) {
    connections.add(connection);
    if (idle) {
      LockSupport.unpark(thread);
    }
  }

  void remove(ReadAhead connection) {
    connections.remove(connection);
  }

  private void run() {
    while (!closed) {
      idle = true;
      if (connections.isEmpty()) { // a connection added after this check sees idle and unparks
        LockSupport.park(this);
      }
      idle = false;
      LockSupport.parkNanos(this, PERIOD.toNanos());
      connections.forEach(ReadAhead::check);
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}

package io.nereid.server.http;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Looks at all connections every {@link #PERIOD}, and has those {@linkplain ReadAhead read ahead}
 * whose request has waited since the last look. So a request that is answered sooner costs no
 * system call and no thread.
 */
final class DisconnectMonitor implements AutoCloseable {
  /** Clients are watched once they have waited for so long, or for twice as long. */
  static final Duration PERIOD = Duration.ofMillis(20);

  private final Set<ReadAhead> connections = ConcurrentHashMap.newKeySet();
  private final Thread thread =
      Thread.ofPlatform().daemon().name("hang-up watch").unstarted(this::run);
  private volatile boolean resting;
  private volatile boolean closed;

  /** Begins to look. */
  void start() {
    thread.start();
  }

  void add(ReadAhead connection) {
    connections.add(connection);
    if (resting) {
      LockSupport.unpark(thread);
    }
  }

  void remove(ReadAhead connection) {
    connections.remove(connection);
  }

  private void run() {
    while (!closed) {
      resting = true;
      if (connections.isEmpty()) { // who comes from here on sees that we rest
        LockSupport.park(this);
      }
      resting = false;
      LockSupport.parkNanos(this, PERIOD.toNanos());
      connections.forEach(ReadAhead::look);
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}

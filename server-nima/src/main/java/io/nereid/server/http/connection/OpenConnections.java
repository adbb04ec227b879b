package io.nereid.server.http.connection;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The open connections of a listener, and their end when the server stops. Thread-safe. */
final class OpenConnections {
  /** How long a request whose bytes are under way may take to arrive once the server stops. */
  private static final Duration ARRIVAL = Duration.ofMillis(100);

  private final Set<Http1Connection> connections = ConcurrentHashMap.newKeySet();
  private final DisconnectMonitor monitor;
  private volatile boolean refusing;
  private volatile boolean stopping;

  OpenConnections(DisconnectMonitor monitor) {
    this.monitor = monitor;
  }

  /** Closes connections that are made from now on, without reading. */
  void refuse() {
    refusing = true;
  }

  /** Adds a connection, unless connections are refused. */
  boolean add(Http1Connection connection) {
    if (refusing) {
      return false;
    }
    connections.add(connection);
    monitor.add(connection.ahead());
    if (stopping) {
      connection.endUnlessResponding();
    }
    return true;
  }

  void remove(Http1Connection connection) {
    monitor.remove(connection.ahead());
    connections.remove(connection);
    if (stopping) {
      synchronized (this) {
        notifyAll();
      }
    }
  }

  /** Whether responses end their connections. */
  boolean isStopping() {
    return stopping;
  }

  /**
   * Ends all connections: those without a whole request at once, those with one behind its
   * response, and all when {@code grace} is over.
   *
   * @return whether no response was cut off
   */
  boolean stop(Duration grace) throws InterruptedException {
    refusing = true;
    stopping = true;
    long deadline = System.nanoTime() + grace.toNanos();
    awaitEnd(Math.min(deadline, System.nanoTime() + ARRIVAL.toNanos()));
    connections.forEach(Http1Connection::endUnlessResponding);
    boolean inTime = awaitEnd(deadline);
    connections.forEach(Http1Connection::abort);
    return inTime;
  }

  private synchronized boolean awaitEnd(long deadline) throws InterruptedException {
    while (!connections.isEmpty()) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      wait(left / 1_000_000 + 1);
    }
    return true;
  }
}

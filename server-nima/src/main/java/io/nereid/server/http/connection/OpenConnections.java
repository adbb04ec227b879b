package io.nereid.server.http.connection;

import io.nereid.server.http.limits.ClientCounts;
import io.nereid.server.http.limits.ConnectionLimits;
import io.nereid.server.http.limits.ConnectionWatch;
import io.nereid.server.http.limits.Refusal;
import io.nereid.server.telemetry.refusal.Refusals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;

/**
 * The open connections of a listener: how many there may be, their deadlines, and their end when
 * the server stops. Thread-safe.
 */
final class OpenConnections {
  /** How long a request whose bytes are under way may take to arrive once the server stops. */
  private static final Duration ARRIVAL = Duration.ofMillis(100);

  /** So many connections that wait for a request are known when one must be closed. */
  private static final int IDLE_KNOWN = 256;

  /** So many refused connections may wait until their clients have read why. */
  private static final int MAX_LINGERING = 64;

  private final Set<Http1Connection> connections = ConcurrentHashMap.newKeySet();
  private final DisconnectMonitor monitor;
  private final ConnectionLimits limits;
  private final ClientCounts counts;
  private final Refusals<Refusal> refusals;
  private final Semaphore lingering = new Semaphore(MAX_LINGERING);

  /** Connections that wait for a request, the one that waits for the longest time first. */
  private volatile Queue<Http1Connection> longestIdle = new ConcurrentLinkedQueue<>();

  /** The number of connections that wait for a request. */
  private volatile int idle;

  private volatile boolean refusing;
  private volatile boolean stopping;

  OpenConnections(
      DisconnectMonitor monitor,
      ConnectionLimits limits,
      ClientCounts counts,
      Refusals<Refusal> refusals) {
    this.monitor = monitor;
    this.limits = limits;
    this.counts = counts;
    this.refusals = refusals;
  }

  /** Whether connections are closed without reading. */
  boolean isRefusing() {
    return refusing;
  }

  /** Closes connections that are made from now on, without reading. */
  void refuse() {
    refusing = true;
  }

  /** Adds a connection, or returns which limit it would exceed. */
  Optional<Refusal> add(Http1Connection connection) {
    Optional<Refusal> refusal = counts.add(connection.client());
    while (refusal.equals(Optional.of(Refusal.CONNECTIONS)) && makeRoom()) {
      refusal = counts.add(connection.client());
    }
    if (refusal.isPresent()) {
      refusals.count(refusal.get(), connection.client().text());
      return refusal;
    }
    connections.add(connection);
    monitor.add(connection.ahead());
    if (stopping) {
      connection.endUnlessResponding();
    }
    return Optional.empty();
  }

  /** Ends a connection that waits for a request; returns whether there was one. */
  private boolean makeRoom() {
    Queue<Http1Connection> candidates = longestIdle;
    for (var next = candidates.poll(); next != null; next = candidates.poll()) {
      if (next.end(Refusal.ROOM)) {
        refusals.count(Refusal.ROOM, next.client().text());
        remove(next);
        return true;
      }
    }
    return false;
  }

  /**
   * Ends the connections whose clients have taken too long, and looks which wait for a request.
   * Called by the monitor.
   */
  synchronized void check(long now) {
    int waiting = 0;
    for (Http1Connection connection : connections) {
      ConnectionWatch watch = connection.watch();
      watch.check(limits, now).ifPresent(refusal -> end(connection, refusal));
      waiting += watch.idleNanos(now).isPresent() ? 1 : 0;
    }
    idle = waiting;
    if (limits.maxConnections() - counts.all() < IDLE_KNOWN) {
      longestIdle = longestIdle(now);
    }
  }

  /** The number of connections that wait for a request, as the last check has found it. */
  int idle() {
    return idle;
  }

  private void end(Http1Connection connection, Refusal refusal) {
    if (connection.end(refusal)) {
      refusals.count(refusal, connection.client().text());
    }
  }

  private Queue<Http1Connection> longestIdle(long now) {
    record Idle(Http1Connection connection, long nanos) {}
    List<Idle> found = new ArrayList<>();
    for (Http1Connection connection : connections) {
      connection.watch().idleNanos(now).ifPresent(nanos -> found.add(new Idle(connection, nanos)));
    }
    found.sort(Comparator.comparingLong(Idle::nanos).reversed());
    return found.stream()
        .limit(IDLE_KNOWN)
        .map(Idle::connection)
        .collect(Collectors.toCollection(ConcurrentLinkedQueue::new));
  }

  /** Whether a refused connection may wait for its client; {@link #endLinger} follows. */
  boolean beginLinger() {
    return lingering.tryAcquire();
  }

  void endLinger() {
    lingering.release();
  }

  /** Removes a connection, if it was added. */
  void remove(Http1Connection connection) {
    monitor.remove(connection.ahead());
    if (connections.remove(connection)) {
      counts.remove(connection.client());
    }
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
